/**
 * Rules that every storage checks before it executes a commit.
 */
import { isWellFormed } from '../base/well-formed.ts'
import { type Capabilities, logKey, MAX_KEY_BYTES, type Op } from './port.ts'

const utf8 = new TextEncoder()

/** Whether `key` can be the key of a record: 1 to 1,900 bytes of well-formed UTF-8. Reads of any other key find nothing. */
export function isKey(key: string): boolean {
  if (typeof key !== 'string' || key === '' || key.length > MAX_KEY_BYTES || !isWellFormed(key)) return false
  // A UTF-16 code unit takes at most three bytes.
  return key.length * 3 <= MAX_KEY_BYTES || utf8.encode(key).length <= MAX_KEY_BYTES
}

function checkKey(key: string): void {
  if (!isKey(key)) throw new TypeError(`a key must be 1 to ${MAX_KEY_BYTES} bytes of well-formed UTF-8`)
}

function checkValue(value: Uint8Array, caps: Capabilities): void {
  if (!(value instanceof Uint8Array)) throw new TypeError('a value must be a Uint8Array')
  if (value.length > caps.maxValueBytes) {
    throw new TypeError(`a value of ${value.length} bytes exceeds the limit of this storage, ${caps.maxValueBytes} bytes`)
  }
}

function checkExpectation(expect: unknown): void {
  if (!Number.isSafeInteger(expect) || (expect as number) < 0)
    throw new TypeError('an expectation must be the revision of a record, or 0 if the key must not exist')
}

/** @throws TypeError if a commit breaks a rule of the port. Checks only the rules that do not depend on stored data. */
export function checkCommit(ops: readonly Op[], id: string, caps: Capabilities): void {
  if (typeof id !== 'string' || id === '') throw new TypeError('a commit needs an id')
  if (ops.length > caps.maxOps)
    throw new TypeError(`a commit of ${ops.length} ops exceeds the limit of this storage, ${caps.maxOps} ops`)
  const seen = new Set<string>()
  for (const op of ops) {
    if (op.op === 'append') {
      checkKey(logKey(op.log, 1))
      checkValue(op.value, caps)
      continue
    }
    checkKey(op.key)
    if (seen.has(op.key)) throw new TypeError('a key appears twice in one commit')
    seen.add(op.key)
    if (op.op === 'put') checkValue(op.value, caps)
    else if (op.op !== 'del' && op.op !== 'check') throw new TypeError('an op must be put, del, check or append')
    if (op.expect !== undefined || op.op === 'check') checkExpectation(op.expect)
  }
}

/** The part of an op that determines its key. */
type OpTarget = { readonly op: 'append'; readonly log: string } | { readonly op: 'put' | 'del' | 'check'; readonly key: string }

/** The keys that a successful commit wrote or deleted, as reported to watchers. */
export function writtenKeys(ops: readonly OpTarget[], appended: readonly number[]): readonly string[] {
  const keys: string[] = []
  let appends = 0
  for (const op of ops) {
    if (op.op === 'append') keys.push(logKey(op.log, appended[appends++]!))
    else if (op.op !== 'check') keys.push(op.key)
  }
  return keys
}

/** Copies the ops and the bytes of their values, for storages that write after the call has returned. */
export const copyOps = (ops: readonly Op[]): readonly Op[] =>
  ops.map((op) => ('value' in op ? { ...op, value: new Uint8Array(op.value) } : { ...op }))
