/**
 * Both ends of a channel, for tests.
 */
import '../../fixtures/loaded-curves.ts'
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { type Entropy, systemEntropy } from '../../../src/core/base/entropy.ts'
import { runToEnd } from '../../../src/core/base/steps.ts'
import type { CryptoBackend } from '../../../src/core/crypto/backend.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { beginSession, type ClientSession } from '../../../src/sys/replication/channel/client-session.ts'
import { type KeyPair, newKeyPair } from '../../../src/sys/replication/channel/key-pair.ts'
import type { ChannelParts } from '../../../src/sys/replication/channel/parts.ts'
import type { OpenedRequest } from '../../../src/sys/replication/channel/server-session.ts'
import { ServerSessions } from '../../../src/sys/replication/channel/server-sessions.ts'

export const BACKENDS: readonly CryptoBackend[] = [nobleCrypto(), nodeCrypto()]

/** Requester and server, for every pair of backends. */
export const PAIRS = BACKENDS.flatMap((asking) => BACKENDS.map((answering) => [asking, answering] as const)).map(
  ([asking, answering]) => ({
    name: `${asking.name} to ${answering.name}`,
    asking: partsOf(asking),
    answering: partsOf(answering),
  }),
)

export function partsOf(crypto: CryptoBackend, entropy: Entropy = systemEntropy()): ChannelParts {
  return { crypto, entropy }
}

export const PARTS = partsOf(nodeCrypto())

export const NOW = Date.UTC(2031, 0, 1)

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

export const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && new TextDecoder().decode(bytes)

export const pair = (parts = PARTS): KeyPair => newKeyPair(parts)

/** A server with peers that can be added and revoked. */
export class Server {
  readonly parts: ChannelParts
  readonly keyPair: KeyPair
  readonly peers = new Map<string, Uint8Array>()
  readonly sessions: ServerSessions

  constructor(parts = PARTS) {
    this.parts = parts
    this.keyPair = pair(parts)
    this.sessions = new ServerSessions(parts, this.keyPair)
  }

  answerHello(hello: Uint8Array, now = NOW): Uint8Array | undefined {
    return runToEnd(this.sessions.answerHello(hello, (peerId) => this.peers.get(peerId), now))
  }

  /** Opens a request like the transport's handler: returns the plaintext and a function that seals the answer. */
  open(message: Uint8Array, now = NOW): OpenedRequest | 'unknown session' | undefined {
    return runToEnd(this.sessions.open(message, now))
  }

  /** Opens a valid request; throws otherwise. */
  take(message: Uint8Array, now = NOW): OpenedRequest {
    const opened = this.open(message, now)
    if (opened === undefined || opened === 'unknown session') throw new Error(`the server did not open it: ${opened}`)
    return opened
  }
}

export interface Peer {
  readonly peerId: string
  readonly keyPair: KeyPair
}

/** Adds a peer to the server. */
export function peerOf(server: Server, peerId = 'east'): Peer {
  const keyPair = pair(server.parts)
  server.peers.set(peerId, keyPair.publicKey)
  return { peerId, keyPair }
}

/** A session whose hello was not sent yet. */
export function greeting(server: Server, peer: Peer, parts = PARTS, now = NOW): ClientSession {
  const session = runToEnd(beginSession(parts, peer, server.keyPair.publicKey, now))
  if (session === undefined) throw new Error('no session with this key')
  return session
}

/** An established session; throws if the handshake fails. */
export function connect(server: Server, peer: Peer, parts = PARTS, now = NOW): ClientSession {
  const session = greeting(server, peer, parts, now)
  const welcome = server.answerHello(session.hello, now)
  if (welcome === undefined || !runToEnd(session.acceptWelcome(welcome))) throw new Error('not welcomed')
  return session
}

export function request(session: ClientSession, text: string) {
  const sealed = runToEnd(session.seal(bytesOf(text)))
  if (sealed === undefined) throw new Error('the session has no keys')
  return { message: sealed.message, open: (answer: Uint8Array) => textOf(runToEnd(sealed.open(answer))) }
}

/** Seals an answer; throws if it cannot be sealed. */
export function answer(opened: OpenedRequest, text: string): Uint8Array {
  const message = runToEnd(opened.seal(bytesOf(text)))
  if (message === undefined) throw new Error('the session has ended')
  return message
}

/** All changes of a message in one bit, all truncations, and the message with one more byte. */
export function* spoiled(message: Uint8Array): Generator<Uint8Array> {
  for (let bit = 0; bit < message.length * 8; bit++) {
    const changed = message.slice()
    changed[bit >> 3]! ^= 1 << (bit & 7)
    yield changed
  }
  for (let length = 0; length < message.length; length++) yield message.slice(0, length)
  yield Uint8Array.of(...message, 0)
  yield Uint8Array.of(0, ...message)
}

/** Public keys of low order, in each encoding. A key agreement with one gives a secret that everyone knows. */
export const LOW_ORDER = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
].map((text) => Uint8Array.from(Buffer.from(text, 'hex')))
