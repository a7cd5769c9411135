// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package android.content;

import android.database.Cursor;
import android.net.Uri;

/** A stand-in for Android's class. */
public abstract class ContentProvider {
    private Context context;

    /** What Android does before onCreate. */
    public void attach(Context context) {
        this.context = context;
    }

    public final Context getContext() {
        return context;
    }

    public abstract boolean onCreate();

    public abstract Cursor query(Uri uri, String[] projection, String selection, String[] arguments, String order);

    public abstract String getType(Uri uri);

    public abstract Uri insert(Uri uri, ContentValues values);

    public abstract int delete(Uri uri, String selection, String[] arguments);

    public abstract int update(Uri uri, ContentValues values, String selection, String[] arguments);
}
