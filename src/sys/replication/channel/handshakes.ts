/** The three Noise protocols of the channel. The prologue names the purpose of a handshake, so that no message serves another purpose. */
import { toUtf8 } from '../../../core/base/bytes.ts'
import type { KeyPair } from './key-pair.ts'
import { HandshakeState } from './noise/handshake-state.ts'
import type { ChannelParts } from './parts.ts'

const PATTERN_OF = { session: 'IK', exchange: 'NK', box: 'N' } as const

/** The keys of one party. The Noise pattern of the purpose determines which of them the party needs. */
export interface HandshakeKeys {
  readonly identity?: KeyPair
  /** Only for the initiator: the static public key of the responder. */
  readonly remoteStatic?: Uint8Array
}

/** @param context A string that states the purpose more precisely. Both parties must use the same string. */
export function newHandshake(
  parts: ChannelParts,
  purpose: keyof typeof PATTERN_OF,
  context: string,
  { identity, remoteStatic }: HandshakeKeys,
): HandshakeState {
  const prologue = toUtf8(`strongroom replication 1 ${purpose} ${context}`)
  return new HandshakeState(parts, { pattern: PATTERN_OF[purpose], prologue, identity, remoteStatic })
}
