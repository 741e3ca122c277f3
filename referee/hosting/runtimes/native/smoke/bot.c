/* Plays the first legal move, and needs no library: the part of HTTP/2 and gRPC that a bot meets.
 *
 * RFC 9113 has the frames, docs/protocol.md the messages. A thread serves each connection. */

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { DATA, HEADERS, SETTINGS = 4, PING = 6, GOAWAY = 7, WINDOW_UPDATE = 8 };
enum { END_STREAM = 1, ACK = 1, END_HEADERS = 4 };
enum { START = 2, DECISION = 3, FAULT = 4, END = 5 }; /* fields of PlayRequest */
enum { STREAMS = 1024, PREFACE = 24, FRAME_HEADER = 9, GRPC_HEADER = 5 };

typedef unsigned char byte;
typedef struct { uint32_t id; byte *data; size_t size; int begun; } Stream;
typedef struct { int socket; Stream streams[STREAMS]; } Connection;

static const byte ANSWERED[] = "\x88\x0f\x10\x10" "application/grpc"; /* :status 200, content-type */
static const byte WELL[] = "\x00\x0b" "grpc-status" "\x01" "0";
static const byte WHO[] = "\x0a\x05smoke\x12\x01" "1\x22\x01" "C\x28\x01"; /* DescribeResponse */
static const byte ACCEPT[] = "\x0a";                                       /* and its length, 0 */

static void read_all(int socket, byte *into, size_t size) {
  for (ssize_t got; size > 0; into += got, size -= got)
    if ((got = read(socket, into, size)) <= 0) close(socket), pthread_exit(NULL);
}

static void send_frame(int socket, int type, int flags, uint32_t stream, const void *data, size_t size) {
  byte frame[256] = {size >> 16, size >> 8, size, type, flags,
                     stream >> 24, stream >> 16, stream >> 8, stream};
  memcpy(frame + FRAME_HEADER, data, size);
  if (write(socket, frame, FRAME_HEADER + size) < 0) pthread_exit(NULL);
}

static void answer(Connection *to, Stream *stream, const void *message, size_t size) {
  byte data[64] = {0, 0, 0, 0, size};
  if (!stream->begun)
    send_frame(to->socket, HEADERS, END_HEADERS, stream->id, ANSWERED, sizeof ANSWERED - 1);
  stream->begun = 1;
  memcpy(data + GRPC_HEADER, message, size);
  send_frame(to->socket, DATA, 0, stream->id, data, GRPC_HEADER + size);
}

static void finish(Connection *to, Stream *stream) {
  send_frame(to->socket, HEADERS, END_HEADERS | END_STREAM, stream->id, WELL, sizeof WELL - 1);
}

static uint64_t varint(const byte **at) {
  uint64_t number = 0;
  int shift = 0;
  do number |= (uint64_t)(**at & 0x7f) << shift, shift += 7;
  while (*(*at)++ & 0x80);
  return number;
}

/* Answer a decision with its id and the index 0, which is not sent. The id is its first field. */
static void choose(Connection *to, Stream *stream, const byte *decision) {
  byte message[16] = {0x12, 0, 0x08};
  size_t size = 3;
  decision++;
  for (uint64_t id = varint(&decision); id || size == 3; id >>= 7)
    message[size++] = (id & 0x7f) | (id > 0x7f ? 0x80 : 0);
  message[1] = size - 2;
  answer(to, stream, message, size);
}

static void receive(Connection *from, Stream *stream, const byte *message, size_t size) {
  const byte *end = message + size;
  if (size == 0) { /* DescribeRequest has no fields, PlayRequest always has some */
    answer(from, stream, WHO, sizeof WHO - 1);
    finish(from, stream);
  }
  while (message < end) { /* all fields of PlayRequest have a length */
    int field = varint(&message) >> 3;
    size_t length = varint(&message);
    if (field == START) answer(from, stream, ACCEPT, sizeof ACCEPT);
    if (field == DECISION) choose(from, stream, message);
    if (field == FAULT || field == END) finish(from, stream);
    message += length;
  }
}

static void take(Connection *from, Stream *stream, const byte *data, size_t size) {
  stream->data = realloc(stream->data, stream->size + size);
  memcpy(stream->data + stream->size, data, size);
  stream->size += size;
  for (;;) {
    byte *at = stream->data;
    if (stream->size < GRPC_HEADER) return;
    size_t length = (size_t)at[1] << 24 | at[2] << 16 | at[3] << 8 | at[4];
    if (stream->size < GRPC_HEADER + length) return;
    receive(from, stream, at + GRPC_HEADER, length);
    stream->size -= GRPC_HEADER + length;
    memmove(at, at + GRPC_HEADER + length, stream->size);
  }
}

static Stream *stream_of(Connection *connection, uint32_t id) {
  Stream *stream = &connection->streams[id / 2 % STREAMS];
  if (stream->id != id) stream->id = id, stream->size = 0, stream->begun = 0;
  return stream;
}

static void *serve(void *argument) {
  Connection *connection = argument;
  static byte frame_of[STREAMS][1 << 14];
  byte header[PREFACE], *frame = frame_of[connection->socket % STREAMS];
  read_all(connection->socket, header, PREFACE);
  send_frame(connection->socket, SETTINGS, 0, 0, "", 0);
  for (;;) {
    read_all(connection->socket, header, FRAME_HEADER);
    size_t size = header[0] << 16 | header[1] << 8 | header[2];
    uint32_t id = (header[5] & 0x7f) << 24 | header[6] << 16 | header[7] << 8 | header[8];
    byte more[4] = {0, 0, size >> 8, size};
    if (size > sizeof frame_of[0]) return NULL;
    read_all(connection->socket, frame, size);
    if (header[3] == SETTINGS && !(header[4] & ACK))
      send_frame(connection->socket, SETTINGS, ACK, 0, "", 0);
    if (header[3] == PING && !(header[4] & ACK))
      send_frame(connection->socket, PING, ACK, 0, frame, size);
    if (header[3] == DATA && size > 0) {
      send_frame(connection->socket, WINDOW_UPDATE, 0, 0, more, sizeof more);
      send_frame(connection->socket, WINDOW_UPDATE, 0, id, more, sizeof more);
      take(connection, stream_of(connection, id), frame, size);
    }
  }
}

int main(void) {
  const char *address = getenv("SANTIAGO_ADDRESS");
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  signal(SIGPIPE, SIG_IGN);
  if (!address || strncmp(address, "unix:", 5)) return 1;
  snprintf(name.sun_path, sizeof name.sun_path, "%s", address + 5);
  if (bind(server, (struct sockaddr *)&name, sizeof name) || listen(server, 16)) return 1;
  fprintf(stderr, "smoke is waiting for games on %s.\n", address);
  for (;;) {
    Connection *connection = calloc(1, sizeof *connection);
    pthread_t thread;
    connection->socket = accept(server, NULL, NULL);
    pthread_create(&thread, NULL, serve, connection);
    pthread_detach(thread);
  }
}
