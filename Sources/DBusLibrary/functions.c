// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The functions of libdbus-1 that this program uses, by their names. The library is loaded with the first call, if it is
// there: a program for the virtual air runs without it, and commands that use no bus start faster. (bench: ctl list 17.6 -> 16.4 ms)

#include "DBusLibrary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

// Not exported, so that libdbus-1 calls its own functions of these names.
#define DBUS_EXPORT __attribute__((visibility("hidden")))
#include <dbus/dbus.h>

static void *library;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void);

bool beaconry_has_dbus(void) {
    pthread_once(&once, load);
    return library != NULL;
}

#define FUNCTION(name, result, parameters, arguments)                  \
    static result(*loaded_##name) parameters;                          \
    result name parameters { return beaconry_has_dbus() && loaded_##name ? loaded_##name arguments : (result)0; }

#define PROCEDURE(name, parameters, arguments)                         \
    static void(*loaded_##name) parameters;                            \
    void name parameters {                                             \
        if (beaconry_has_dbus() && loaded_##name) loaded_##name arguments; \
    }

FUNCTION(dbus_bus_get_private, DBusConnection *, (DBusBusType type, DBusError *error), (type, error))
FUNCTION(dbus_bus_get_unique_name, const char *, (DBusConnection *connection), (connection))
FUNCTION(dbus_bus_register, dbus_bool_t, (DBusConnection *connection, DBusError *error), (connection, error))
FUNCTION(dbus_connection_can_send_type, dbus_bool_t, (DBusConnection *connection, int type), (connection, type))
PROCEDURE(dbus_connection_close, (DBusConnection *connection), (connection))
FUNCTION(dbus_connection_get_dispatch_status, DBusDispatchStatus, (DBusConnection *connection), (connection))
FUNCTION(dbus_connection_get_is_connected, dbus_bool_t, (DBusConnection *connection), (connection))
FUNCTION(dbus_connection_get_outgoing_size, long, (DBusConnection *connection), (connection))
FUNCTION(dbus_connection_get_unix_fd, dbus_bool_t, (DBusConnection *connection, int *fd), (connection, fd))
FUNCTION(dbus_connection_has_messages_to_send, dbus_bool_t, (DBusConnection *connection), (connection))
FUNCTION(dbus_connection_open_private, DBusConnection *, (const char *address, DBusError *error), (address, error))
FUNCTION(dbus_connection_pop_message, DBusMessage *, (DBusConnection *connection), (connection))
FUNCTION(dbus_connection_read_write, dbus_bool_t,
         (DBusConnection *connection, int timeout_milliseconds),
         (connection, timeout_milliseconds))
FUNCTION(dbus_connection_send, dbus_bool_t,
         (DBusConnection *connection, DBusMessage *message, dbus_uint32_t *client_serial),
         (connection, message, client_serial))
PROCEDURE(dbus_connection_set_change_sigpipe, (dbus_bool_t will_modify_sigpipe), (will_modify_sigpipe))
PROCEDURE(dbus_connection_set_exit_on_disconnect,
         (DBusConnection *connection, dbus_bool_t exit_on_disconnect),
         (connection, exit_on_disconnect))
PROCEDURE(dbus_connection_unref, (DBusConnection *connection), (connection))
PROCEDURE(dbus_error_free, (DBusError *error), (error))
PROCEDURE(dbus_error_init, (DBusError *error), (error))
PROCEDURE(dbus_free, (void *memory), (memory))
FUNCTION(dbus_message_contains_unix_fds, dbus_bool_t, (DBusMessage *message), (message))
FUNCTION(dbus_message_demarshal, DBusMessage *, (const char *str, int len, DBusError *error), (str, len, error))
FUNCTION(dbus_message_demarshal_bytes_needed, int, (const char *str, int len), (str, len))
FUNCTION(dbus_message_get_destination, const char *, (DBusMessage *message), (message))
FUNCTION(dbus_message_get_error_name, const char *, (DBusMessage *message), (message))
FUNCTION(dbus_message_get_interface, const char *, (DBusMessage *message), (message))
FUNCTION(dbus_message_get_member, const char *, (DBusMessage *message), (message))
FUNCTION(dbus_message_get_no_reply, dbus_bool_t, (DBusMessage *message), (message))
FUNCTION(dbus_message_get_path, const char *, (DBusMessage *message), (message))
FUNCTION(dbus_message_get_reply_serial, dbus_uint32_t, (DBusMessage *message), (message))
FUNCTION(dbus_message_get_sender, const char *, (DBusMessage *message), (message))
FUNCTION(dbus_message_get_serial, dbus_uint32_t, (DBusMessage *message), (message))
FUNCTION(dbus_message_get_type, int, (DBusMessage *message), (message))
FUNCTION(dbus_message_is_signal, dbus_bool_t,
         (DBusMessage *message, const char *iface, const char *signal_name),
         (message, iface, signal_name))
PROCEDURE(dbus_message_iter_abandon_container, (DBusMessageIter *iter, DBusMessageIter *sub), (iter, sub))
FUNCTION(dbus_message_iter_append_basic, dbus_bool_t,
         (DBusMessageIter *iter, int type, const void *value),
         (iter, type, value))
FUNCTION(dbus_message_iter_append_fixed_array, dbus_bool_t,
         (DBusMessageIter *iter, int element_type, const void *value, int n_elements),
         (iter, element_type, value, n_elements))
FUNCTION(dbus_message_iter_close_container, dbus_bool_t, (DBusMessageIter *iter, DBusMessageIter *sub), (iter, sub))
FUNCTION(dbus_message_iter_get_arg_type, int, (DBusMessageIter *iter), (iter))
PROCEDURE(dbus_message_iter_get_basic, (DBusMessageIter *iter, void *value), (iter, value))
FUNCTION(dbus_message_iter_get_element_type, int, (DBusMessageIter *iter), (iter))
PROCEDURE(dbus_message_iter_get_fixed_array,
         (DBusMessageIter *iter, void *value, int *n_elements),
         (iter, value, n_elements))
FUNCTION(dbus_message_iter_get_signature, char *, (DBusMessageIter *iter), (iter))
FUNCTION(dbus_message_iter_init, dbus_bool_t, (DBusMessage *message, DBusMessageIter *iter), (message, iter))
PROCEDURE(dbus_message_iter_init_append, (DBusMessage *message, DBusMessageIter *iter), (message, iter))
FUNCTION(dbus_message_iter_next, dbus_bool_t, (DBusMessageIter *iter), (iter))
FUNCTION(dbus_message_iter_open_container, dbus_bool_t,
         (DBusMessageIter *iter, int type, const char *contained_signature, DBusMessageIter *sub),
         (iter, type, contained_signature, sub))
PROCEDURE(dbus_message_iter_recurse, (DBusMessageIter *iter, DBusMessageIter *sub), (iter, sub))
FUNCTION(dbus_message_marshal, dbus_bool_t,
         (DBusMessage *msg, char **marshalled_data_p, int *len_p),
         (msg, marshalled_data_p, len_p))
FUNCTION(dbus_message_new, DBusMessage *, (int message_type), (message_type))
FUNCTION(dbus_message_set_destination, dbus_bool_t,
         (DBusMessage *message, const char *destination),
         (message, destination))
FUNCTION(dbus_message_set_error_name, dbus_bool_t, (DBusMessage *message, const char *name), (message, name))
FUNCTION(dbus_message_set_interface, dbus_bool_t, (DBusMessage *message, const char *iface), (message, iface))
FUNCTION(dbus_message_set_member, dbus_bool_t, (DBusMessage *message, const char *member), (message, member))
PROCEDURE(dbus_message_set_no_reply, (DBusMessage *message, dbus_bool_t no_reply), (message, no_reply))
FUNCTION(dbus_message_set_path, dbus_bool_t, (DBusMessage *message, const char *object_path), (message, object_path))
FUNCTION(dbus_message_set_reply_serial, dbus_bool_t,
         (DBusMessage *message, dbus_uint32_t reply_serial),
         (message, reply_serial))
FUNCTION(dbus_message_set_sender, dbus_bool_t, (DBusMessage *message, const char *sender), (message, sender))
PROCEDURE(dbus_message_set_serial, (DBusMessage *message, dbus_uint32_t serial), (message, serial))
PROCEDURE(dbus_message_unref, (DBusMessage *message), (message))
FUNCTION(dbus_signature_validate, dbus_bool_t, (const char *signature, DBusError *error), (signature, error))
FUNCTION(dbus_signature_validate_single, dbus_bool_t, (const char *signature, DBusError *error), (signature, error))
FUNCTION(dbus_try_get_local_machine_id, char *, (DBusError *error), (error))
FUNCTION(dbus_validate_bus_name, dbus_bool_t, (const char *name, DBusError *error), (name, error))
FUNCTION(dbus_validate_error_name, dbus_bool_t, (const char *name, DBusError *error), (name, error))
FUNCTION(dbus_validate_interface, dbus_bool_t, (const char *name, DBusError *error), (name, error))
FUNCTION(dbus_validate_member, dbus_bool_t, (const char *name, DBusError *error), (name, error))
FUNCTION(dbus_validate_path, dbus_bool_t, (const char *path, DBusError *error), (path, error))

#define LOAD(name) *(void **)&loaded_##name = dlsym(library, #name)

static void load(void) {
    library = dlopen("libdbus-1.so.3", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
    LOAD(dbus_bus_get_private);
    LOAD(dbus_bus_get_unique_name);
    LOAD(dbus_bus_register);
    LOAD(dbus_connection_can_send_type);
    LOAD(dbus_connection_close);
    LOAD(dbus_connection_get_dispatch_status);
    LOAD(dbus_connection_get_is_connected);
    LOAD(dbus_connection_get_outgoing_size);
    LOAD(dbus_connection_get_unix_fd);
    LOAD(dbus_connection_has_messages_to_send);
    LOAD(dbus_connection_open_private);
    LOAD(dbus_connection_pop_message);
    LOAD(dbus_connection_read_write);
    LOAD(dbus_connection_send);
    LOAD(dbus_connection_set_change_sigpipe);
    LOAD(dbus_connection_set_exit_on_disconnect);
    LOAD(dbus_connection_unref);
    LOAD(dbus_error_free);
    LOAD(dbus_error_init);
    LOAD(dbus_free);
    LOAD(dbus_message_contains_unix_fds);
    LOAD(dbus_message_demarshal);
    LOAD(dbus_message_demarshal_bytes_needed);
    LOAD(dbus_message_get_destination);
    LOAD(dbus_message_get_error_name);
    LOAD(dbus_message_get_interface);
    LOAD(dbus_message_get_member);
    LOAD(dbus_message_get_no_reply);
    LOAD(dbus_message_get_path);
    LOAD(dbus_message_get_reply_serial);
    LOAD(dbus_message_get_sender);
    LOAD(dbus_message_get_serial);
    LOAD(dbus_message_get_type);
    LOAD(dbus_message_is_signal);
    LOAD(dbus_message_iter_abandon_container);
    LOAD(dbus_message_iter_append_basic);
    LOAD(dbus_message_iter_append_fixed_array);
    LOAD(dbus_message_iter_close_container);
    LOAD(dbus_message_iter_get_arg_type);
    LOAD(dbus_message_iter_get_basic);
    LOAD(dbus_message_iter_get_element_type);
    LOAD(dbus_message_iter_get_fixed_array);
    LOAD(dbus_message_iter_get_signature);
    LOAD(dbus_message_iter_init);
    LOAD(dbus_message_iter_init_append);
    LOAD(dbus_message_iter_next);
    LOAD(dbus_message_iter_open_container);
    LOAD(dbus_message_iter_recurse);
    LOAD(dbus_message_marshal);
    LOAD(dbus_message_new);
    LOAD(dbus_message_set_destination);
    LOAD(dbus_message_set_error_name);
    LOAD(dbus_message_set_interface);
    LOAD(dbus_message_set_member);
    LOAD(dbus_message_set_no_reply);
    LOAD(dbus_message_set_path);
    LOAD(dbus_message_set_reply_serial);
    LOAD(dbus_message_set_sender);
    LOAD(dbus_message_set_serial);
    LOAD(dbus_message_unref);
    LOAD(dbus_signature_validate);
    LOAD(dbus_signature_validate_single);
    LOAD(dbus_try_get_local_machine_id);
    LOAD(dbus_validate_bus_name);
    LOAD(dbus_validate_error_name);
    LOAD(dbus_validate_interface);
    LOAD(dbus_validate_member);
    LOAD(dbus_validate_path);
}
