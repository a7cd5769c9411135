// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package beaconry;

import android.content.ContentProvider;
import android.content.ContentValues;
import android.content.Context;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageManager;
import android.database.Cursor;
import android.net.Uri;
import android.os.Bundle;
import java.util.logging.Logger;

/**
 * Installs a {@link BeaconryBeaconSimulator} when the process of an app starts, so that no line of the app changes.
 *
 * <p>It provides no content: Android creates the content providers of the manifest before it calls the app. Elements
 * {@code <meta-data>} of {@code <application>} configure it:
 *
 * <ul>
 *   <li>{@code beaconry.url}: the server, by default {@code http://localhost:8080}
 *   <li>{@code beaconry.receiver}: the name of the receiver, by default {@code phone}
 *   <li>{@code beaconry.token}: the token, for a server that needs one
 * </ul>
 *
 * <p>A value that is not valid ends the app when it starts, with the reason. In an app that is not debuggable, nothing
 * is installed.
 */
public final class BeaconryProvider extends ContentProvider {
    private static BeaconryBeaconSimulator simulator;

    /** The simulator, for its {@code problem()}; null in an app that is not debuggable. */
    public static synchronized BeaconryBeaconSimulator simulator() {
        return simulator;
    }

    @Override
    public boolean onCreate() {
        Context context = getContext();
        ApplicationInfo application;
        try {
            application = context.getPackageManager()
                    .getApplicationInfo(context.getPackageName(), PackageManager.GET_META_DATA);
        } catch (PackageManager.NameNotFoundException error) {
            throw new IllegalStateException(error);
        }
        if ((application.flags & ApplicationInfo.FLAG_DEBUGGABLE) == 0) {
            Logger.getLogger("Beaconry").warning("the app is not debuggable: Beaconry is not used");
            return true;
        }
        synchronized (BeaconryProvider.class) {
            simulator = new BeaconryBeaconSimulator(
                    value(application.metaData, "beaconry.url", "http://localhost:8080"),
                    value(application.metaData, "beaconry.receiver", "phone"),
                    value(application.metaData, "beaconry.token", null)).install();
        }
        return true;
    }

    // Bundle.get is deprecated, but getString returns null for a receiver "1": the build makes it a number.
    @SuppressWarnings("deprecation")
    private static String value(Bundle metaData, String key, String fallback) {
        Object value = metaData == null ? null : metaData.get(key);
        return value == null || value.toString().isEmpty() ? fallback : value.toString();
    }

    @Override
    public Cursor query(Uri uri, String[] columns, String selection, String[] arguments, String order) {
        return null;
    }

    @Override
    public String getType(Uri uri) {
        return null;
    }

    @Override
    public Uri insert(Uri uri, ContentValues values) {
        return null;
    }

    @Override
    public int delete(Uri uri, String selection, String[] arguments) {
        return 0;
    }

    @Override
    public int update(Uri uri, ContentValues values, String selection, String[] arguments) {
        return 0;
    }
}
