/** Secret bytes in memory that several threads share. Wiping them in one thread wipes them for all threads. */
import type { Wipeable } from './backend.ts'

/** The memory begins with a 32-bit flag: INTACT, or WIPED after the secret was wiped. */
const HEAD_BYTES = 4
const WIPED = 0
const INTACT = 1

const headOf = (memory: SharedArrayBuffer): Int32Array => new Int32Array(memory, 0, 1)

export class SharedBytes implements Wipeable {
  readonly memory: SharedArrayBuffer

  /** @param bytes The secret. It is copied. */
  constructor(bytes: Uint8Array) {
    this.memory = new SharedArrayBuffer(HEAD_BYTES + bytes.length)
    new Uint8Array(this.memory, HEAD_BYTES).set(bytes)
    Atomics.store(headOf(this.memory), 0, INTACT)
  }

  wipe(): void {
    Atomics.store(headOf(this.memory), 0, WIPED)
    new Uint8Array(this.memory, HEAD_BYTES).fill(0)
  }
}

/** Returns a copy, which the caller wipes. Undefined if the bytes were wiped before the copy was complete. */
export function copyShared(memory: SharedArrayBuffer): Uint8Array | undefined {
  const copy = new Uint8Array(memory.byteLength - HEAD_BYTES)
  copy.set(new Uint8Array(memory, HEAD_BYTES))
  if (Atomics.load(headOf(memory), 0) === INTACT) return copy
  copy.fill(0)
  return undefined
}
