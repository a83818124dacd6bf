/** The keys with which one party of a session sends and receives after the handshake. */
import type { HandshakeState } from './noise/handshake-state.ts'
import { TransportCipher } from './transport-cipher.ts'

export class SessionKeys {
  readonly outgoing: TransportCipher
  readonly incoming: TransportCipher

  /** @param handshake After its last message. */
  constructor(handshake: Pick<HandshakeState, 'split'>) {
    const { sending, receiving } = handshake.split()
    this.outgoing = new TransportCipher(sending)
    this.incoming = new TransportCipher(receiving)
  }

  /** Wipes the keys, so that pending encryptions and decryptions return undefined. Idempotent. */
  end(): void {
    this.outgoing.end()
    this.incoming.end()
  }
}
