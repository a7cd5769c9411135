// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import android.content.Context;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageManager;
import android.os.Bundle;
import beaconry.BeaconryBeaconSimulator;
import beaconry.BeaconryProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.altbeacon.beacon.Beacon;
import org.altbeacon.beacon.BeaconManager;
import org.altbeacon.beacon.simulator.BeaconSimulator;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;

/**
 * Calls the plug-in as the Android Beacon Library does, and prints a line of JSON for each scan cycle.
 *
 * <p>Usage: {@code PluginCheck CYCLE [KEY=VALUE …]}. CYCLE is the length of a cycle in milliseconds; with 0, each line
 * {@code cycle} of standard input is the end of one. The other arguments are meta-data of the application; the key
 * {@code maximumAge} is the age above which packets are dropped, in milliseconds, and {@code release} a build that is
 * not debuggable.
 *
 * <p>Further lines of standard input: {@code status} prints the state of the plug-in, {@code look} uses the methods of
 * a list that must not take packets, {@code settings} is a change of the library's settings, {@code close} ends the
 * plug-in and waits for its thread. The program ends with standard input.
 */
public final class PluginCheck {
    private static final String END = "end";

    private PluginCheck() {}

    public static void main(String[] arguments) throws Exception {
        long cycle = Long.parseLong(arguments[0]);
        start(arguments);
        LinkedBlockingQueue<String> commands = commands();
        while (true) {
            String command = cycle == 0 ? commands.take() : commands.poll(cycle, TimeUnit.MILLISECONDS);
            switch (command == null ? "cycle" : command) {
                case END:
                    return;
                case "cycle":
                    print(cycle());
                    break;
                case "status":
                    print(status());
                    break;
                case "look":
                    print(look());
                    break;
                case "settings":
                    BeaconManager.setBeaconSimulator(null);
                    break;
                case "close":
                    BeaconryProvider.simulator().close();
                    join();
                    print(new JSONObject().put("closed", true));
                    break;
                default:
                    throw new IllegalArgumentException(command);
            }
        }
    }

    /** The end of a scan cycle: a comparison with null, the size for a log message, and one iteration. */
    private static JSONObject cycle() throws JSONException {
        JSONObject report = status();
        Map<String, JSONObject> beacons = new LinkedHashMap<>();
        int packets = 0;
        if (BeaconManager.getBeaconSimulator() != null) {
            if (BeaconManager.getBeaconSimulator().getBeacons() != null) {
                report.put("size", BeaconManager.getBeaconSimulator().getBeacons().size());
                for (Beacon packet : BeaconManager.getBeaconSimulator().getBeacons()) {
                    packets++;
                    count(packet, beacons);
                }
            }
        }
        return report.put("packets", packets).put("beacons", new JSONArray(beacons.values()));
    }

    /** The state of the plug-in, without a change of it. */
    private static JSONObject status() throws JSONException {
        BeaconryBeaconSimulator plugin = BeaconryProvider.simulator();
        JSONObject report = new JSONObject().put("installed", BeaconManager.getBeaconSimulator() != null);
        if (plugin != null) {
            report.put("problem", plugin.problem() == null ? JSONObject.NULL : plugin.problem());
            report.put("lost", plugin.lost()).put("waiting", plugin.getBeacons().size());
        }
        return report;
    }

    /** Adds a packet to those of its beacon. */
    private static void count(Beacon packet, Map<String, JSONObject> beacons) throws JSONException {
        String key = packet.toString();
        JSONObject beacon = beacons.get(key);
        if (beacon == null) {
            beacon = new JSONObject().put("packets", 0).put("rssi", 0.0);
            beacons.put(key, beacon);
        }
        int number = beacon.getInt("packets") + 1;
        beacon.put("packets", number);
        beacon.put("rssi", beacon.getDouble("rssi") + (packet.getRssi() - beacon.getDouble("rssi")) / number);
        beacon.put("uuid", packet.getId1().toString().toUpperCase(Locale.ROOT));
        beacon.put("major", Integer.parseInt(packet.getId2().toString()));
        beacon.put("minor", Integer.parseInt(packet.getId3().toString()));
        beacon.put("txPower", packet.getTxPower());
        beacon.put("typeCode", packet.getBeaconTypeCode());
        beacon.put("manufacturer", packet.getManufacturer());
        beacon.put("address", packet.getBluetoothAddress());
        beacon.put("name", packet.getBluetoothName());
        beacon.put("dataFields", new JSONArray(packet.getDataFields()));
    }

    /** Uses a list, and a later one with the same packets, whose iteration takes those of both. */
    private static JSONObject look() throws JSONException {
        BeaconSimulator simulator = BeaconManager.getBeaconSimulator();
        List<Beacon> list = simulator.getBeacons();
        List<Beacon> copy = new ArrayList<>(list);
        boolean isList = copy.size() == list.size() && list.toArray(new Beacon[0]).length == list.size()
                && list.equals(copy) && list.hashCode() == copy.hashCode() && list.toString().equals(copy.toString());
        for (int index = 0; index < list.size(); index++) {
            isList &= list.get(index) == copy.get(index) && list.contains(copy.get(index));
        }
        return new JSONObject().put("size", list.size()).put("isList", isList)
                .put("taken", iterate(simulator.getBeacons())).put("takenAgain", iterate(list));
    }

    private static int iterate(List<Beacon> list) {
        int count = 0;
        for (Iterator<Beacon> iterator = list.iterator(); iterator.hasNext(); iterator.next()) {
            count++;
        }
        return count;
    }

    /** Creates the provider, as Android does before the app begins. */
    private static void start(String[] arguments) {
        ApplicationInfo application = new ApplicationInfo();
        application.flags = ApplicationInfo.FLAG_DEBUGGABLE;
        application.metaData = new Bundle();
        long maximumAge = 0;
        for (int index = 1; index < arguments.length; index++) {
            String[] words = arguments[index].split("=", 2);
            if (words[0].equals("release")) {
                application.flags = 0;
            } else if (words[0].equals("maximumAge")) {
                maximumAge = Long.parseLong(words[1]);
            } else if (words[1].matches("[0-9]+")) {
                application.metaData.putInt(words[0], Integer.parseInt(words[1]));
            } else {
                application.metaData.putString(words[0], words[1]);
            }
        }
        BeaconryProvider provider = new BeaconryProvider();
        provider.attach(new Application(application));
        if (!provider.onCreate()) {
            throw new IllegalStateException("the provider was not created");
        }
        if (maximumAge != 0) {
            BeaconryProvider.simulator().setMaximumAge(maximumAge);
        }
    }

    /** The lines of standard input. */
    private static LinkedBlockingQueue<String> commands() {
        LinkedBlockingQueue<String> commands = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> {
            try {
                BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
                for (String line; (line = input.readLine()) != null; ) {
                    commands.add(line);
                }
            } catch (IOException error) {
                System.err.println(error);
            }
            commands.add(END);
        });
        reader.setDaemon(true);
        reader.start();
        return commands;
    }

    /** Returns when the threads of the plug-in have ended. */
    private static void join() throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("Beaconry")) {
                thread.join();
            }
        }
    }

    private static void print(JSONObject report) {
        System.out.println(report);
        System.out.flush();
    }

    /** The context of a provider. */
    private static final class Application extends Context {
        private final ApplicationInfo info;

        Application(ApplicationInfo info) {
            this.info = info;
        }

        @Override
        public String getPackageName() {
            return "com.example.app";
        }

        @Override
        public PackageManager getPackageManager() {
            return new PackageManager() {
                @Override
                public ApplicationInfo getApplicationInfo(String packageName, int flags) throws NameNotFoundException {
                    if (!packageName.equals(getPackageName()) || flags != GET_META_DATA) {
                        throw new NameNotFoundException();
                    }
                    return info;
                }
            };
        }
    }
}
