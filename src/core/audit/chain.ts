/**
 * Links the entries that a process writes to a sink: each entry contains the MAC of the previous entry. So only with the MAC key can an
 * entry be removed, changed or moved unnoticed.
 *
 * A line ends in `,"chain":{"id":"...","number":7,"previous":"...","mac":"..."}}`. The MAC covers everything before `,"mac"`. `previous` is
 * the MAC of the last entry that the sink stored. If the sink fails to store an entry, its number is missing, so gaps in the numbers are
 * valid.
 */
import { toUtf8 } from '../base/bytes.ts'
import { toUtf8Steps } from '../base/long-text.ts'
import { SLICE_BYTES, type Steps } from '../base/steps.ts'
import type { MacKey } from '../crypto/backend.ts'
import { base64urlOf } from './mac-text.ts'
import { Scratch } from './scratch.ts'

/** The last entry of a chain. */
export interface ChainHead {
  readonly number: number
  /** The MAC of the entry; empty if the chain has no entries. */
  readonly mac: string
}

const NO_ENTRY: ChainHead = Object.freeze({ number: 0, mac: '' })

/** An entry with its MAC that the sink has not stored yet. */
export interface ChainedEntry {
  readonly line: string
  readonly head: ChainHead
}

/** The size of the buffer for encoding lines. Most lines are shorter; longer ones are encoded without the buffer. */
const SCRATCH_CHARACTERS = 4096

export class Chain {
  readonly id: string
  readonly #key: MacKey
  #number = 0
  #head: ChainHead = NO_ENTRY
  readonly #scratch = new Scratch(SCRATCH_CHARACTERS)

  /** @param id A new id. It must not have been used with this key before. */
  constructor(id: string, key: MacKey) {
    this.id = id
    this.#key = key
  }

  /** The last entry that the sink stored. */
  get head(): ChainHead {
    return this.#head
  }

  /** Appends the chain link to an entry. @param entry The JSON text of an object without its closing brace. */
  link(entry: string): ChainedEntry | Steps<ChainedEntry> {
    const number = ++this.#number
    const covered = `${entry},"chain":{"id":"${this.id}","number":${number},"previous":"${this.#head.mac}"`
    if (covered.length > this.#scratch.longest) return this.#linkLong(covered, number)
    return linked(covered, this.#key.mac(this.#scratch.encode(covered)), number)
  }

  #linkLong(covered: string, number: number): ChainedEntry | Steps<ChainedEntry> {
    return covered.length > SLICE_BYTES
      ? linkSteps(this.#key, covered, number)
      : linked(covered, this.#key.mac(toUtf8(covered)), number)
  }

  /** Makes the entry the last entry of the chain. Must be called after the sink stored the entry. */
  accept({ head }: ChainedEntry): void {
    this.#head = head
  }
}

function* linkSteps(key: MacKey, covered: string, number: number): Steps<ChainedEntry> {
  return linked(covered, yield* key.macSteps(yield* toUtf8Steps(covered)), number)
}

function linked(covered: string, bytes: Uint8Array, number: number): ChainedEntry {
  const mac = base64urlOf(bytes)
  return { line: `${covered},"mac":"${mac}"}}`, head: { number, mac } }
}
