// The kit: makes a process that the referee can call out of a bot, an object like
//   { name, version, author, newGame(start) -> { choose(decision) -> index in decision.legal } }
// or `{ index, note: { text, chances, line } }`, with a note for people.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { inspect } = require('node:util');
const grpc = require('@grpc/grpc-js');
const protoLoader = require('@grpc/proto-loader');

const { Guard } = require('./proofs');

// The folder of santiago/v1/bot.proto: beside this file, or in the arena's own project.
const PROTO = ['proto', '../../proto'].map((folder) => path.join(__dirname, folder)).find(fs.existsSync);
const DEFAULT_ADDRESS = '127.0.0.1:50051';
const PROTOCOL_VERSION = 1;
const SHORTEST_SECRET = 16; // characters
const LONGEST_MESSAGE = 4 * 1024 * 1024; // the whole game comes at once after a lost line
const LONGEST_ERROR = 120; // characters of what a bot has thrown that the referee is told
const LONGEST_ANSWER = 30; // of those, what `choose` returned in place of an index
const LONGEST_NOTE = 200; // characters of its text
const MOST_MOVES = 12; // in its line
const MOST_CHANCES = 5; // one too many: then none are kept
const PLACE = /^\s+at (?:[^()]+ \()?(?!node:)([^()]+):(\d+):\d+\)?$/gm; // lines of a stack
const LIBRARY = /[/\\]node_modules[/\\]/;

// `defaults` because a number that is 0 is not sent; enums as names, such as 'VERB_DRIVE'.
const definition = protoLoader.loadSync('santiago/v1/bot.proto', {
  includeDirs: [PROTO],
  defaults: true,
  oneofs: true,
  enums: String,
  longs: Number,
});
const { Bot } = grpc.loadPackageDefinition(definition).santiago.v1;

// One stream is one seat of one game; games have nothing to do with one another.
function play(bot, secret, stream) {
  let game;
  let guard;
  const fail = (code, error) => {
    console.error(error);
    stream.emit('error', { code, details: told(error) }); // ends the stream
  };
  stream.on('data', async (request) => {
    try {
      if (guard && !guard.admits(request)) {
        fail(grpc.status.UNAUTHENTICATED, new Error('the referee did not prove the shared secret'));
        return;
      }
      switch (request.message) {
        case 'start':
          guard = new Guard(secret, request.start);
          game = bot.newGame(request.start);
          stream.write({ accept: guard.accept() });
          break;
        case 'decision':
          stream.write({ choice: await choice(game, request) });
          break;
        case 'fault':
          console.error(`${bot.name} has faulted: ${request.fault.sentence}`);
          stream.end();
          break;
        case 'end':
          stream.end();
          break;
        default: // of a later protocol: passed over
      }
    } catch (error) {
      fail(grpc.status.UNKNOWN, error);
    }
  });
  stream.on('end', () => stream.end());
  stream.on('error', () => {}); // the line broke; the referee dials again
}

// What was thrown, and where in the bot, or else in a library: `Error: oops (bot.js, line 14)`.
function told(error) {
  const calls = [...String(error?.stack).matchAll(PLACE)].filter(([, name]) => name !== __filename);
  const [, file, line] = calls.find(([, name]) => !LIBRARY.test(name)) ?? calls[0] ?? [];
  const place = file ? ` (${path.basename(file)}, line ${line})` : '';
  return `${cut(error, LONGEST_ERROR)}${place}`;
}

function cut(what, most) {
  return `${Buffer.from(String(what).slice(0, most))}`; // half an emoji is no UTF-8
}

async function choice(game, { decision, events }) {
  const chosen = await game.choose(decision, events);
  const { index = chosen, note } = Object(chosen);
  if (!Number.isInteger(index) || index < 0 || index >= decision.legal.length) {
    const moves = `one of ${decision.legal.length} legal moves, from 0`;
    const answer = cut(inspect(index, { breakLength: Infinity }), LONGEST_ANSWER);
    throw new RangeError(`choose returned ${answer}, which is not the index of ${moves}`);
  }
  return { decisionId: decision.id, index, note: note && kept(note) };
}

// A note without what the referee would cut off: a message that is too long would be a fault.
function kept({ text, chances, line }) {
  return {
    text: cut(text ?? '', LONGEST_NOTE),
    chances: Array.from(chances ?? []).slice(0, MOST_CHANCES),
    line: Array.from(line ?? []).slice(0, MOST_MOVES),
  };
}

// Plain, or TLS where the files (PEM) of a certificate and its key are named.
function credentials() {
  const { SANTIAGO_TLS_CERTIFICATE: certificate, SANTIAGO_TLS_KEY: key } = process.env;
  if (!certificate && !key) return grpc.ServerCredentials.createInsecure();
  if (!certificate || !key) {
    console.error('TLS needs both SANTIAGO_TLS_CERTIFICATE and SANTIAGO_TLS_KEY.');
    process.exit(1);
  }
  const pair = { cert_chain: fs.readFileSync(certificate), private_key: fs.readFileSync(key) };
  return grpc.ServerCredentials.createSsl(null, [pair]);
}

// The secret that the referee has to share, if one is named. Its proofs would betray a short one.
function sharedSecret() {
  const { SANTIAGO_SECRET: secret = '' } = process.env;
  if (secret && secret.length < SHORTEST_SECRET) {
    const needed = `SANTIAGO_SECRET needs ${SHORTEST_SECRET} characters or more`;
    console.error(`${needed}: \`openssl rand -hex 32\` makes one.`);
    process.exit(1);
  }
  return secret;
}

// Serves games where SANTIAGO_ADDRESS says (host:port or unix:/path), until the process is ended.
function serve(bot) {
  const address = process.env.SANTIAGO_ADDRESS || DEFAULT_ADDRESS;
  const secret = sharedSecret();
  const server = new grpc.Server({
    'grpc.max_receive_message_length': LONGEST_MESSAGE,
    'grpc.so_reuseport': 0, // a port that is taken is an error
  });
  const { name, version, author } = bot;
  const description = {
    name, version, author, language: 'JavaScript', protocolVersion: PROTOCOL_VERSION,
  };
  server.addService(Bot.service, {
    describe: (call, answer) => answer(null, description),
    play: (stream) => play(bot, secret, stream),
  });
  server.bindAsync(address, credentials(), (error) => {
    if (error) {
      console.error(`Nothing can listen on ${address}: ${error.message}`);
      process.exit(1);
    }
    console.error(`${name} is waiting for games on ${address}.`);
  });
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      server.forceShutdown();
      process.exit(0);
    });
  }
}

module.exports = { serve };
