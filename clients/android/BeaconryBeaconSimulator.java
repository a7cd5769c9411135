// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package beaconry;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.altbeacon.beacon.Beacon;
import org.altbeacon.beacon.BeaconManager;
import org.altbeacon.beacon.simulator.BeaconSimulator;
import org.json.JSONException;
import org.json.JSONObject;

/**
 * The packets that a receiver on the virtual air of a Beaconry run gets, for the Android Beacon Library (AltBeacon
 * 2.15.2 and later).
 *
 * <p>A thread reads the server-sent events of {@code GET /v1/receivers/NAME/advertisements}, and creates the receiver
 * if there is none. The library takes the packets on the main thread, at the end of each of its scan cycles (1.1 s in
 * the foreground). It calls {@link #getBeacons()} three times then: for a comparison with null, for {@code size()} in a
 * log message, and for one iteration. So only {@code iterator()} of the list takes packets. Each packet is one
 * {@link Beacon}, so that the library's packet count, RSSI filter, distance and regions are as with real packets, which
 * are processed as well. The library uses a simulator in debuggable builds only.
 *
 * <p>Settings: {@code replaceSettings}, {@code adjustSettings} and {@code revertSettings} of version 2.21 remove a
 * simulator that is not part of the settings. {@link #install()} sets it again within 10 s. Where the device has no
 * Bluetooth LE, an app that changes its settings should have the simulator in them
 * ({@code Settings.Builder().setBeaconSimulator(…)}): there, the library ignores calls while it has no simulator.
 *
 * <p>Processes: the library uses the simulator of the process in which its services run. This is the process of the app
 * unless its manifest has another one for them.
 *
 * <p>All methods may be called on any thread, and return at once.
 */
public final class BeaconryBeaconSimulator implements BeaconSimulator, Closeable {
    /** The packets that wait for the end of a scan cycle. */
    private static final int PACKETS = 4096;
    /** The bytes of a line, or of the body of a refusal, that are used. */
    private static final int LONGEST = 65_536;
    private static final int HEADER_LINES = 200;
    private static final int CONNECT_MILLIS = 10_000;
    /** The server sends a comment every 10 s. */
    private static final int READ_MILLIS = 30_000;
    private static final int RETRY_MILLIS = 1_000;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}");
    private static final Pattern TOKEN = Pattern.compile("[!-~]+");
    private static final Pattern UUID = Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");
    private static final Logger LOG = Logger.getLogger("Beaconry");

    private final String host;
    private final int port;
    private final String base;
    private final String receiver;
    private final String headerFields;
    private final Thread thread = new Thread(this::run, "Beaconry");

    // What follows is guarded by this.
    private final ArrayDeque<Packet> waiting = new ArrayDeque<>();
    /** The number of the first packet in waiting, or of the next one to come. They are numbered from 0. */
    private long first;
    private long lost;
    private long maximumAge = TimeUnit.SECONDS.toNanos(10);
    private String problem;
    private Socket socket;
    private boolean installed;
    private boolean closed;

    /**
     * Begins to receive from a server without a token.
     *
     * @param url the server, such as {@code http://localhost:8080}
     * @param name the receiver, such as {@code phone}
     * @throws IllegalArgumentException if one of them is not valid
     */
    public BeaconryBeaconSimulator(String url, String name) {
        this(url, name, null);
    }

    /**
     * Begins to receive.
     *
     * @param url the server, such as {@code http://192.0.2.10:8080}
     * @param name the receiver, such as {@code phone}
     * @param token the word in the file of {@code --http-token-file}, or null
     * @throws IllegalArgumentException if one of them is not valid
     */
    public BeaconryBeaconSimulator(String url, String name, String token) {
        URI server = URI.create(url);
        require("http".equalsIgnoreCase(server.getScheme()) && server.getHost() != null,
                url + " is not the URL of a server of Beaconry, such as http://localhost:8080 (there is no TLS)");
        require(NAME.matcher(name).matches(), name + " is not the name of a receiver, such as phone");
        require(token == null || TOKEN.matcher(token).matches(), "the token is not a word of ASCII characters");
        String authority = server.getHost() + (server.getPort() < 0 ? "" : ":" + server.getPort());
        host = server.getHost().replaceAll("[\\[\\]]", "");
        port = server.getPort() < 0 ? 80 : server.getPort();
        base = "http://" + authority;
        problem = base + ": not connected yet";
        receiver = server.getRawPath().replaceAll("/+$", "") + "/v1/receivers/" + name;
        headerFields = "Host: " + authority + "\r\nConnection: close\r\n"
                + (token == null ? "" : "Authorization: Bearer " + token + "\r\n");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Makes this the simulator of the library until {@link #close()}, also again after a change of the library's
     * settings has removed it, but not in place of another simulator.
     */
    public synchronized BeaconryBeaconSimulator install() {
        if (!closed) {
            installed = true;
            BeaconManager.setBeaconSimulator(this);
        }
        return this;
    }

    /**
     * The packets that wait, as they are now. Only an iterator takes them: each packet is in one iteration, although it
     * may be in several lists.
     */
    @Override
    public synchronized List<Beacon> getBeacons() {
        long now = System.nanoTime();
        while (!waiting.isEmpty() && now - waiting.peek().time > maximumAge) {
            remove();
        }
        List<Beacon> beacons = new ArrayList<>(waiting.size());
        for (Packet packet : waiting) {
            beacons.add(packet.beacon);
        }
        return new Received(first, beacons);
    }

    /** Why no packets come, or what was wrong with one; null if nothing is. Changes are logged as Beaconry. */
    public synchronized String problem() {
        return problem;
    }

    /** The number of packets that were dropped so far because too many came, here or in the server. */
    public synchronized long lost() {
        return lost;
    }

    /**
     * The age above which packets are dropped, by default 10 s. It should not be less than a scan cycle. Packets that
     * no cycle has taken are of a time in which a phone would not have scanned, such as before the app began to range.
     */
    public synchronized void setMaximumAge(long milliseconds) {
        maximumAge = TimeUnit.MILLISECONDS.toNanos(milliseconds);
    }

    /** Ends the connection and the thread. The receiver stays in the run. */
    @Override
    public void close() {
        Socket open;
        synchronized (this) {
            closed = true;
            first += waiting.size();
            waiting.clear();
            if (BeaconManager.getBeaconSimulator() == this) {
                BeaconManager.setBeaconSimulator(null);
            }
            open = socket;
        }
        closeQuietly(open);
        thread.interrupt();
    }

    // The packets

    private static final class Packet {
        final Beacon beacon;
        final long time = System.nanoTime();

        Packet(Beacon beacon) {
            this.beacon = beacon;
        }
    }

    /** Packets that waited at one time. Apart from the iterator, it is an ordinary list. */
    private final class Received extends AbstractList<Beacon> {
        private final long number;
        private final List<Beacon> beacons;

        Received(long number, List<Beacon> beacons) {
            this.number = number;
            this.beacons = beacons;
        }

        @Override public Iterator<Beacon> iterator() { return take(number, beacons).iterator(); }

        @Override public Beacon get(int index) { return beacons.get(index); }
        @Override public int size() { return beacons.size(); }

        // The inherited ones iterate, so that a log message or a debugger would take the packets.
        @Override public boolean contains(Object object) { return beacons.contains(object); }
        @Override public Object[] toArray() { return beacons.toArray(); }
        @Override public <T> T[] toArray(T[] array) { return beacons.toArray(array); }
        @Override public boolean equals(Object object) { return beacons.equals(object); }
        @Override public int hashCode() { return beacons.hashCode(); }
        @Override public String toString() { return beacons.toString(); }
    }

    /** Removes the packets of a list from those that wait; returns those that were still there. */
    private synchronized List<Beacon> take(long number, List<Beacon> beacons) {
        int taken = (int) Math.min(first - number, beacons.size());
        while (first < number + beacons.size()) {
            remove();
        }
        return Collections.unmodifiableList(beacons.subList(taken, beacons.size()));
    }

    private synchronized void remove() {
        waiting.remove();
        first++;
    }

    private synchronized void add(Beacon beacon) {
        if (closed) {
            return;
        }
        if (waiting.size() == PACKETS) {
            // Without scan cycles, packets are too old before they are too many.
            lost += System.nanoTime() - waiting.peek().time > maximumAge ? 0 : 1;
            remove();
        }
        waiting.add(new Packet(beacon));
    }

    /**
     * Processes the object of an event.
     *
     * @throws JSONException if a member is missing, or has another type
     * @throws IllegalArgumentException if a value is not valid
     */
    private void receive(String data) throws JSONException {
        JSONObject packet = new JSONObject(data);
        if (packet.has("lost")) {
            long count = packet.getLong("lost");
            synchronized (this) {
                // A number from elsewhere does not make the sum overflow.
                lost = count > Long.MAX_VALUE - lost ? Long.MAX_VALUE : lost + Math.max(count, 0);
            }
            return;
        }
        boolean isAltBeacon = packet.optString("format").equals("altbeacon");
        if (packet.isNull("rssi") || !isAltBeacon && !packet.optString("format").equals("ibeacon")) {
            return;
        }
        String uuid = packet.getString("uuid");
        require(UUID.matcher(uuid).matches(), "uuid: " + uuid);
        int company = number(packet, "company", 0, 0xFFFF);
        Beacon.Builder builder = new Beacon.Builder()
                .setId1(uuid)
                .setId2(Integer.toString(number(packet, "major", 0, 0xFFFF)))
                .setId3(Integer.toString(number(packet, "minor", 0, 0xFFFF)))
                .setRssi(number(packet, "rssi", -127, 126))
                .setTxPower(number(packet, "measuredPower", -128, 127))
                .setManufacturer(company)
                .setBeaconTypeCode(isAltBeacon ? 0xBEAC : 0x0215)
                // Without an address, Beacon.equals fails where the app has set setHardwareEqualityEnforced.
                .setBluetoothAddress(packet.optString("address", "00:00:00:00:00:00"))
                .setBluetoothName(packet.isNull("name") ? null : packet.getString("name"));
        if (isAltBeacon) {
            builder.setDataFields(reserved(packet, company));
        }
        add(builder.build());
    }

    private static int number(JSONObject packet, String key, int least, int greatest) throws JSONException {
        int value = packet.getInt(key);
        require(value >= least && value <= greatest, key + ": " + value);
        return value;
    }

    /** The data field of AltBeacon, which follows the code (2 bytes), the identifiers (20) and the power (1). */
    private static List<Long> reserved(JSONObject packet, int company) {
        JSONObject all = packet.optJSONObject("manufacturerData");
        String frame = all == null ? "" : all.optString(String.format(Locale.ROOT, "%04X", company));
        return frame.length() < 48
                ? Collections.<Long>emptyList() : Collections.singletonList(Long.valueOf(frame.substring(46, 48), 16));
    }

    // The thread

    private void run() {
        while (true) {
            String reason;
            try {
                reason = stream();
            } catch (IOException | RuntimeException error) {
                reason = reason(error);
            }
            synchronized (this) {
                closeQuietly(socket);
                if (closed) {
                    return;
                }
            }
            report(reason);
            try {
                Thread.sleep(RETRY_MILLIS);
            } catch (InterruptedException end) {
                return;
            }
        }
    }

    /** Receives until the stream ends, and returns why it has ended. */
    private String stream() throws IOException {
        String advertisements = receiver + "/advertisements?format=ibeacon,altbeacon";
        Response response = send("GET", advertisements, null);
        if (response.status == 404) {
            // Not before: PUT resets the settings of a receiver that exists.
            response = send("PUT", receiver, "{}");
            if (response.status / 100 == 2) {
                response = send("GET", advertisements, null);
            }
        }
        if (response.status != 200) {
            return refusal(response);
        }
        if (!response.type.startsWith("text/event-stream")) {
            return "the server is not Beaconry: its answer is " + shortened(response.type);
        }
        report(null);
        for (String line; (line = line(response.body)) != null; ) {
            keepInstalled();
            if (!line.startsWith("data:")) {
                continue;
            }
            try {
                receive(line.substring(5));
            } catch (JSONException | RuntimeException | StackOverflowError error) {
                // The next line may be well-formed. One of a connection is reported, as all could be too many.
                if (problem() == null) {
                    report("a line is not a packet, and was ignored (" + error + "): " + shortened(line));
                }
            }
        }
        return "the stream has ended: the run has ended, or the receiver was removed";
    }

    private synchronized void keepInstalled() {
        if (installed && !closed && BeaconManager.getBeaconSimulator() == null) {
            BeaconManager.setBeaconSimulator(this);
        }
    }

    /** Sets the problem, and logs it if it is another one. */
    private void report(String reason) {
        String text = reason == null ? null : base + ": " + reason;
        synchronized (this) {
            if (closed || (text == null ? problem == null : text.equals(problem))) {
                return;
            }
            problem = text;
        }
        if (text == null) {
            LOG.info(base + ": packets are received");
        } else {
            LOG.warning(text);
        }
    }

    /** The reason of a failure, the same in each attempt: messages of Android contain a port that changes. */
    private String reason(Exception error) {
        String message = String.valueOf(error.getMessage());
        if (error instanceof SecurityException || message.contains("EPERM") || message.contains("EACCES")) {
            return "the app may not connect; its manifest needs the permission android.permission.INTERNET";
        }
        if (error instanceof UnknownHostException) {
            return "no host has this name";
        }
        if (error instanceof SocketTimeoutException) {
            return "no answer in time; is the address right?";
        }
        if (error instanceof SocketException) {
            return "no connection; is the run started with --http? With localhost, `adb reverse tcp:" + port + " tcp:"
                    + port + "` is needed again after each disconnection of the phone";
        }
        return error instanceof IOException ? message : error.toString();
    }

    /** The reason of a refusal, from its problem details if there are some. */
    private static String refusal(Response response) {
        String text = "HTTP status " + response.status;
        try {
            JSONObject details = new JSONObject(response.text());
            text += ": " + details.getString("detail") + (details.has("hint") ? "; " + details.getString("hint") : "");
        } catch (IOException | JSONException | RuntimeException | StackOverflowError error) {
            return text;
        }
        return shortened(text);
    }

    // HTTP over a socket: HttpURLConnection needs a permission for cleartext traffic in the manifest, uses the phone's
    // proxy, and cannot be closed in some implementations while another thread reads.

    private static final class Response {
        final int status;
        final String type;
        final Body body;

        Response(int status, String type, Body body) {
            this.status = status;
            this.type = type;
            this.body = body;
        }

        String text() throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (int next; bytes.size() < LONGEST && (next = body.read()) >= 0; ) {
                bytes.write(next);
            }
            return new String(bytes.toByteArray(), StandardCharsets.UTF_8);
        }
    }

    /** Sends a request, and returns the response as soon as its head is there. Ends the connection of the last one. */
    private Response send(String method, String target, String json) throws IOException {
        Socket connection = connect();
        String request = method + " " + target + " HTTP/1.1\r\n" + headerFields + (json == null ? "\r\n"
                : "Content-Type: application/json\r\nContent-Length: " + json.length() + "\r\n\r\n" + json);
        connection.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        InputStream input = new BufferedInputStream(connection.getInputStream());
        String status = line(input);
        if (status == null) {
            // `adb reverse` accepts connections without a server, and ends them.
            throw new SocketException("ended");
        }
        if (!status.matches("HTTP/1\\.[0-9] [1-5][0-9]{2}( .*)?")) {
            throw new IOException("the server is not Beaconry: its answer is not HTTP");
        }
        String type = "";
        Body body = new Body(input);
        for (int count = 0; count < HEADER_LINES; count++) {
            String line = line(input);
            if (line == null) {
                throw new SocketException("ended");
            }
            if (line.isEmpty()) {
                return new Response(Integer.parseInt(status.substring(9, 12)), type, body);
            }
            String[] field = (line + ":").toLowerCase(Locale.ROOT).split(":", 2);
            String value = field[1].substring(0, field[1].length() - 1).trim();
            switch (field[0]) {
                case "content-type": type = value; break;
                case "content-length": body.setLength(value); break;
                case "transfer-encoding": body.setChunked(); break;
                default: break;
            }
        }
        throw new IOException("the server is not Beaconry: its answer has too many header fields");
    }

    /** Connects to the first address of the host that accepts it. */
    private Socket connect() throws IOException {
        IOException failure = new UnknownHostException(host);
        for (InetAddress address : InetAddress.getAllByName(host)) {
            Socket connection = new Socket();
            synchronized (this) {
                if (closed) {
                    throw failure;
                }
                closeQuietly(socket);
                socket = connection;
            }
            try {
                connection.connect(new InetSocketAddress(address, port), CONNECT_MILLIS);
                connection.setSoTimeout(READ_MILLIS);
                return connection;
            } catch (IOException error) {
                failure = error;
            }
        }
        throw failure;
    }

    /** A body that is chunked, or has a length, or ends with the connection. */
    private static final class Body extends InputStream {
        private final InputStream input;
        private long left = Long.MAX_VALUE;
        private boolean isChunked;
        private boolean isInside;

        Body(InputStream input) {
            this.input = input;
        }

        void setLength(String text) throws IOException {
            left = isChunked ? 0 : number(text, 10);
        }

        void setChunked() {
            isChunked = true;
            left = 0;
        }

        @Override
        public int read() throws IOException {
            if (left == 0 && isChunked) {
                beginChunk();
            }
            int next = left == 0 ? -1 : input.read();
            left -= next < 0 ? 0 : 1;
            return next;
        }

        private void beginChunk() throws IOException {
            if (isInside) {
                line(input);
            }
            String size = line(input);
            left = size == null ? 0 : number(size.split(";", 2)[0].trim(), 16);
            isInside = true;
            isChunked = left > 0;
        }

        private static long number(String text, int radix) throws IOException {
            try {
                return Math.max(0, Long.parseLong(text, radix));
            } catch (NumberFormatException error) {
                throw new IOException("the server is not Beaconry: its answer is not HTTP");
            }
        }
    }

    /** The next line without its end, at most LONGEST bytes of it; null if there is no further complete line. */
    private static String line(InputStream input) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        for (int next; (next = input.read()) != '\n'; ) {
            if (next < 0) {
                return null;
            }
            if (bytes.size() < LONGEST) {
                bytes.write(next);
            }
        }
        String line = new String(bytes.toByteArray(), StandardCharsets.UTF_8);
        return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
    }

    private static void closeQuietly(Socket socket) {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException error) {
            // It is closed all the same.
        }
    }

    private static String shortened(String text) {
        return text.length() <= 300 ? text : text.substring(0, 300) + "…";
    }

    private static void require(boolean isValid, String message) {
        if (!isValid) {
            throw new IllegalArgumentException(message);
        }
    }
}
