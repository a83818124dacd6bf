/**
 * HandshakeState of the Noise Protocol Framework (revision 34, section 5.3), for patterns in which the initiator knows the responder's static
 * key. The protocols are `Noise_N_25519_ChaChaPoly_SHA256`, `Noise_NK_25519_ChaChaPoly_SHA256` and `Noise_IK_25519_ChaChaPoly_SHA256`.
 */
import type { Steps } from '../../../../core/base/steps.ts'
import { type KeyPair, newKeyPair, PUBLIC_KEY_BYTES } from '../key-pair.ts'
import type { ChannelParts } from '../parts.ts'
import { type CipherState, TAG_BYTES } from './cipher-state.ts'
import { SymmetricState } from './symmetric-state.ts'

/** The maximum length of any Noise message (section 3). */
export const MAX_NOISE_MESSAGE_BYTES = 65_535

type Agreement = 'ee' | 'es' | 'se' | 'ss'

type Token = 'e' | 's' | Agreement

/** The messages of each pattern, the first from the initiator. Every pattern has the pre-message `<- s`. */
const PATTERNS = {
  N: [['e', 'es']],
  NK: [
    ['e', 'es'],
    ['e', 'ee'],
  ],
  IK: [
    ['e', 'es', 's', 'ss'],
    ['e', 'ee', 'se'],
  ],
} as const satisfies Record<string, readonly (readonly Token[])[]>

export type HandshakePattern = keyof typeof PATTERNS

export interface HandshakeParameters {
  readonly pattern: HandshakePattern
  readonly prologue: Uint8Array
  /** The own static keys; the initiator has them only in pattern IK. Not copied: must not be wiped while a message is processed. */
  readonly identity: KeyPair | undefined
  /** The responder's static public key; undefined for the responder. */
  readonly remoteStatic: Uint8Array | undefined
}

export class HandshakeState {
  readonly #parts: ChannelParts
  readonly #parameters: HandshakeParameters
  readonly #messages: readonly (readonly Token[])[]
  readonly #symmetric: SymmetricState
  #remoteStatic: Uint8Array | undefined
  #ephemeral: KeyPair | undefined
  #remoteEphemeral: Uint8Array | undefined
  /** The number of processed messages. */
  #processed = 0
  #isFork = false

  constructor(parts: ChannelParts, parameters: HandshakeParameters, symmetric?: SymmetricState) {
    const { pattern, prologue, identity, remoteStatic } = parameters
    this.#parts = parts
    this.#parameters = parameters
    this.#messages = PATTERNS[pattern]
    this.#remoteStatic = remoteStatic && Uint8Array.from(remoteStatic)
    this.#symmetric = symmetric ?? new SymmetricState(parts.crypto, `Noise_${pattern}_25519_ChaChaPoly_SHA256`)
    if (symmetric) return
    this.#symmetric.mixHash(prologue)
    this.#symmetric.mixHash(remoteStatic ?? identity!.publicKey)
  }

  /** The static public key of the other party; for the responder in pattern IK, the key that the first message contains. */
  get remoteStatic(): Uint8Array | undefined {
    return this.#remoteStatic
  }

  /**
   * Returns the next message. Returns undefined if a public key is invalid or the keys were wiped during a yield; then no further message is
   * possible.
   *
   * @param payload So short that the message fits into {@link MAX_NOISE_MESSAGE_BYTES}.
   */
  *writeMessage(payload: Uint8Array): Steps<Uint8Array | undefined> {
    const fields: Uint8Array[] = []
    for (const token of this.#nextTokens()) {
      if (token === 'e') {
        this.#ephemeral = newKeyPair(this.#parts)
        this.#symmetric.mixHash(this.#ephemeral.publicKey)
        fields.push(this.#ephemeral.publicKey)
      } else if (token === 's') fields.push(this.#symmetric.encryptAndHash(this.#parameters.identity!.publicKey))
      else if (!(yield* this.#mixAgreement(token))) return undefined
    }
    return joined([...fields, this.#symmetric.encryptAndHash(payload)])
  }

  /**
   * Returns the payload of the next message. Returns undefined if the message is invalid; then no further message is possible. To be able to
   * try another message, read with a {@link fork}.
   */
  *readMessage(message: Uint8Array): Steps<Uint8Array | undefined> {
    if (message.length > MAX_NOISE_MESSAGE_BYTES) return undefined
    let rest = message
    for (const token of this.#nextTokens()) {
      if (token === 'e' || token === 's') {
        const size = token === 'e' ? PUBLIC_KEY_BYTES : PUBLIC_KEY_BYTES + TAG_BYTES
        const field = rest.slice(0, size)
        rest = rest.subarray(size)
        if (field.length < size || !this.#readKey(token, field)) return undefined
      } else if (!(yield* this.#mixAgreement(token))) return undefined
    }
    return this.#symmetric.decryptAndHash(rest)
  }

  /** After the last message: returns the states for the messages that this party sends and receives. */
  split(): { readonly sending: CipherState; readonly receiving: CipherState } {
    const [initiator, responder] = this.#symmetric.split()
    return this.#isInitiator ? { sending: initiator, receiving: responder } : { sending: responder, receiving: initiator }
  }

  /** Returns a copy, with which the next message can be read without changing this state. The copy ends when this state is wiped. */
  fork(): HandshakeState {
    const copy = new HandshakeState(this.#parts, this.#parameters, this.#symmetric.fork())
    copy.#remoteStatic = this.#remoteStatic
    copy.#ephemeral = this.#ephemeral
    copy.#processed = this.#processed
    copy.#isFork = true
    return copy
  }

  /** Wipes the secrets, except the static keys. Idempotent. */
  wipe(): void {
    this.#symmetric.wipe()
    if (!this.#isFork) this.#ephemeral?.wipe()
  }

  get #isInitiator(): boolean {
    return this.#parameters.remoteStatic !== undefined
  }

  #nextTokens(): readonly Token[] {
    return this.#messages[this.#processed++]!
  }

  #readKey(token: 'e' | 's', field: Uint8Array): boolean {
    if (token === 's') {
      this.#remoteStatic = this.#symmetric.decryptAndHash(field)
      return this.#remoteStatic !== undefined
    }
    this.#remoteEphemeral = field
    this.#symmetric.mixHash(field)
    return true
  }

  /** Returns false if the other party's public key is invalid or of low order, or if the own key pair was wiped during the yield. */
  *#mixAgreement(agreement: Agreement): Steps<boolean> {
    const [initiator, responder] = agreement
    const [own, other] = this.#isInitiator ? [initiator, responder] : [responder, initiator]
    const keyPair = own === 'e' ? this.#ephemeral! : this.#parameters.identity!
    const publicKey = other === 'e' ? this.#remoteEphemeral! : this.#remoteStatic!
    // A key agreement can take a few milliseconds.
    yield
    const secret = keyPair.isWiped ? undefined : keyPair.agree(publicKey)
    if (secret) this.#symmetric.mixKey(secret)
    return secret !== undefined
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
