/** The initial key schedule of an exchange, which is equal on both sides. */
import { toUtf8 } from '../../../core/base/bytes.ts'
import { KeySchedule } from './key-schedule.ts'
import type { ChannelParts } from './parts.ts'
import { TAG_BYTES } from './sealed-text.ts'

export function exchangeSchedule({ crypto }: ChannelParts, serverPublicKey: Uint8Array, context: string): KeySchedule {
  const schedule = new KeySchedule(crypto)
  schedule.bind(toUtf8(context), serverPublicKey)
  return schedule
}

/** Returns the tag of a request. The answer is bound to this tag and not to the whole request, which may be long. */
export const tagOf = (message: Uint8Array): Uint8Array => message.slice(-TAG_BYTES)
