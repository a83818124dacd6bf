/**
 * The chain that holds the entries of one process and sink together: each carries the MAC of the one before, so that nobody without the
 * key can take one out, change one or move one.
 *
 * A line ends in `,"chain":{"id":"...","number":7,"previous":"...","mac":"..."}}`; the MAC covers everything in front of `,"mac"`. An
 * entry is linked to the last one that the sink took: numbers that a failing sink made miss break nothing.
 */
import { toUtf8 } from '../base/bytes.ts'
import { toUtf8Steps } from '../base/long-text.ts'
import { SLICE_BYTES, type Steps } from '../base/steps.ts'
import type { MacKey } from '../crypto/backend.ts'
import { base64urlOf } from './mac-text.ts'
import { Scratch } from './scratch.ts'

/** The end of a chain. */
export interface ChainHead {
  readonly number: number
  /** Empty for a chain without entries. */
  readonly mac: string
}

export const NO_ENTRY: ChainHead = Object.freeze({ number: 0, mac: '' })

/** An entry that is linked but not yet safely stored. */
export interface ChainedEntry {
  readonly line: string
  readonly head: ChainHead
}

/** Characters that most lines stay below. */
const SCRATCH_CHARACTERS = 4096

export class Chain {
  readonly id: string
  readonly #key: MacKey
  #number = 0
  #head: ChainHead = NO_ENTRY
  readonly #scratch = new Scratch(SCRATCH_CHARACTERS)

  /** @param id Never used before with this key. */
  constructor(id: string, key: MacKey) {
    this.id = id
    this.#key = key
  }

  /** The last entry that is safely stored. */
  get head(): ChainHead {
    return this.#head
  }

  /** @param entry JSON text of an object without its closing brace. */
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

  /** Called when the sink has stored the entry. */
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
