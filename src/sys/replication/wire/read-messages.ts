/** Reads histories, epochs, indexes and addresses from messages. */
import { isAddressText } from '../../../core/base/address-text.ts'
import { MAX_EPOCH_STEP, MAX_EPOCHS, maxEpochAt, maxIndexAt } from '../state/bounds.ts'
import type { Epoch, EpochProof, History } from '../state/history.ts'
import { indexIn, listOf, type Message, malformedMember, objectOf, stringMember } from './message-members.ts'

const ORIGIN = /^[0-9a-f]{32}$/

const MAC = /^[0-9a-f]{64}$/

const MAX_ID_CHARACTERS = 256

/**
 * Reads a history: at least one epoch, in ascending order.
 *
 * @param now Milliseconds, on the receiver's clock.
 */
export function historyIn(message: Message, now: number): History {
  const history = listOf(message, 'history', MAX_EPOCHS).map((item) => epochOf(objectOf(item, 'history'), now))
  const isAscending = history.every(({ epoch }, at) => isNext(history[at - 1], epoch))
  const isDistinct = new Set(history.map(({ origin }) => origin)).size === history.length
  if (history.length > 0 && isAscending && isDistinct) return history
  throw malformedMember('history')
}

const isNext = (before: Epoch | undefined, epoch: number): boolean =>
  before === undefined || (epoch > before.epoch && epoch <= before.epoch + MAX_EPOCH_STEP)

function epochOf(message: Message, now: number): Epoch {
  const proof = message['proof'] === undefined ? undefined : proofIn(objectOf(message['proof'], 'history'))
  const epoch = {
    epoch: epochIn(message, 'epoch', now),
    origin: stringMember(message, 'origin'),
    start: logIndexIn(message, 'start', now),
  }
  if (epoch.epoch === 0 || !ORIGIN.test(epoch.origin)) throw malformedMember('history')
  return { ...epoch, ...(message['rebase'] === true ? { rebase: true } : {}), ...(proof ? { proof } : {}) }
}

function proofIn(message: Message): EpochProof {
  const proof = { by: stringMember(message, 'by', MAX_ID_CHARACTERS), mac: stringMember(message, 'mac') }
  if (MAC.test(proof.mac)) return proof
  throw malformedMember('history')
}

/** @param now Milliseconds, on the receiver's clock. */
export function epochIn(message: Message, name: string, now: number): number {
  const epoch = indexIn(message, name)
  if (epoch <= maxEpochAt(now)) return epoch
  throw malformedMember(name)
}

/** Reads the index of a log record. @param now Milliseconds, on the receiver's clock. */
export function logIndexIn(message: Message, name: string, now: number): number {
  const index = indexIn(message, name)
  if (index <= maxIndexAt(now)) return index
  throw malformedMember(name)
}

const MAX_ADDRESS_CHARACTERS = 256

/** Reads an address. The address is empty if the sender does not listen for other clusters. */
export function addressIn(message: Message, name: string): string {
  const address = stringMember(message, name, MAX_ADDRESS_CHARACTERS)
  if (isAddressText(address)) return address
  throw malformedMember(name)
}

export const addressesIn = (message: Message, name: string, most: number): readonly string[] =>
  listOf(message, name, most).map((_, at) => addressIn(message[name] as Message, String(at)))

/** Converts a history into the format that messages use. */
export const plainHistory = (history: History): readonly object[] =>
  history.map(({ proof, ...epoch }) => ({ ...epoch, ...(proof ? { proof: { ...proof } } : {}) }))
