/**
 * The list of operations (writes and deletions) in a frame of the replication log. Each operation is encoded as: byte kind, uint16 length
 * of the key, the key, and for a put also uint32 length of the value. The values follow the list in the frame. Numbers are big-endian.
 */
import { fromUtf8, toUtf8 } from '../base/bytes.ts'
import { KernelError } from '../base/errors.ts'
import type { Op } from '../storage/port.ts'

/**
 * The prefix of the storage keys of guards. A guard is a record that changes whenever a record is created or deleted in its folder. Frames
 * contain the storage keys of changed guards, so that the guards also change on other clusters.
 */
const GUARDS = 'i/guard/'

interface LoggedPut {
  readonly op: 'put'
  readonly key: string
  /** The value as stored, encrypted by the barrier of this cluster. */
  readonly value: Uint8Array
}

interface LoggedKey {
  /** `guard`: the list of ids in the folder has changed. */
  readonly op: 'del' | 'guard'
  readonly key: string
}

export type LoggedOp = LoggedPut | LoggedKey

const OP_HEAD = 3

const OPS = ['put', 'del', 'guard'] as const

/** Whether records of the key's class are replicated to other clusters. */
export const isLogged = (key: string): boolean => key.startsWith('r/') || key.startsWith('l/')

/**
 * Returns the operations that the log must contain: writes to records of class `r` (replicated to all secondaries) or `l` (replicated to DR
 * secondaries only), and changes of guards.
 */
export function loggedOps(ops: readonly Op[]): readonly LoggedOp[] {
  const logged: LoggedOp[] = []
  for (const op of ops) {
    if (op.op === 'append' || op.op === 'check') continue
    const { key } = op
    if (isLogged(key)) logged.push(op)
    else if (key.startsWith(GUARDS)) logged.push({ op: 'guard', key })
  }
  return logged
}

/** Encodes a list that {@link decodeOps} can decode. */
export function encodeOps(ops: readonly LoggedOp[]): Uint8Array {
  const keys: Uint8Array[] = []
  let length = 0
  for (const { op, key } of ops) {
    const bytes = toUtf8(key)
    keys.push(bytes)
    length += OP_HEAD + bytes.length + (op === 'put' ? 4 : 0)
  }
  const list = new Uint8Array(length)
  const view = new DataView(list.buffer)
  let offset = 0
  for (let at = 0; at < ops.length; at++) {
    const op = ops[at] as LoggedOp
    const key = keys[at] as Uint8Array
    list[offset] = OPS.indexOf(op.op)
    view.setUint16(offset + 1, key.length)
    list.set(key, offset + OP_HEAD)
    offset += OP_HEAD + key.length
    if (op.op !== 'put') continue
    view.setUint32(offset, op.value.length)
    offset += 4
  }
  return list
}

/** Decodes the operations of a frame. @param list The decrypted list. @throws KernelError ERR_INTERNAL if values are missing. */
export function decodeOps({ values }: { readonly values: Uint8Array }, list: Uint8Array): readonly LoggedOp[] {
  const view = new DataView(list.buffer, list.byteOffset, list.length)
  const ops: LoggedOp[] = []
  let taken = 0
  for (let offset = 0; offset < list.length; ) {
    const op = OPS[view.getUint8(offset)]
    const length = view.getUint16(offset + 1)
    const key = fromUtf8(list.subarray(offset + OP_HEAD, offset + OP_HEAD + length))
    offset += OP_HEAD + length
    if (op === 'put') {
      const size = view.getUint32(offset)
      offset += 4
      if (taken + size > values.length) throw damagedLogError()
      ops.push({ op, key, value: values.subarray(taken, taken + size) })
      taken += size
    } else if (op) ops.push({ op, key })
    else throw damagedLogError()
  }
  return ops
}

export const damagedLogError = (): KernelError => new KernelError('ERR_INTERNAL', 'a record of the replication log is damaged')
