/** Reads and validates members of messages between clusters. The sender may run another release, or be faulty or malicious. */
import { KernelError } from '../../../core/base/errors.ts'

export type Message = Readonly<Record<string, unknown>>

export const malformedMember = (name: string): KernelError =>
  new KernelError('ERR_INVALID_REQUEST', `the message must contain a valid ${name}`)

export function stringMember(message: Message, name: string, most = 4096): string {
  const value = message[name]
  if (typeof value === 'string' && value.length <= most) return value
  throw malformedMember(name)
}

export function indexIn(message: Message, name: string): number {
  const value = message[name]
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw malformedMember(name)
}

/** The largest time that a `Date` can represent, in milliseconds since 1970. */
const FARTHEST_MS = 8.64e15

/** Reads a time on the sender's clock, in milliseconds since 1970, not necessarily an integer. */
export function timeIn(message: Message, name: string): number {
  const value = message[name]
  if (typeof value === 'number' && Math.abs(value) <= FARTHEST_MS) return value
  throw malformedMember(name)
}

export function bytesMember(message: Message, name: string, most: number): Uint8Array {
  const value = message[name]
  if (value instanceof Uint8Array && value.length <= most) return value
  throw malformedMember(name)
}

export function listOf(message: Message, name: string, most: number): readonly unknown[] {
  const value = message[name]
  if (Array.isArray(value) && value.length <= most) return value
  throw malformedMember(name)
}

export function objectOf(value: unknown, name: string): Message {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array))
    return value as Message
  throw malformedMember(name)
}

export const textsOf = (message: Message, name: string, most: number, longest?: number): readonly string[] =>
  listOf(message, name, most).map((_, at) => stringMember(message[name] as Message, String(at), longest))
