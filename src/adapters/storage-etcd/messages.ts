/**
 * The messages of etcd's v3 API that the storage sends and reads. The field numbers are from `rpc.proto` and `kv.proto`.
 */
import type { ProtoReader, ProtoWriter } from './protobuf.ts'

export interface RangeRequest {
  readonly key: Uint8Array
  /** The exclusive end of the range. If it is missing, only the key itself is read. */
  readonly end?: Uint8Array
  /** 0 means no limit. */
  readonly limit?: number
  /** The cluster revision to read at; 0 means the newest. */
  readonly revision?: number
  readonly keysOnly?: boolean
  readonly countOnly?: boolean
  readonly order?: 'oldest first' | 'last first'
}

export type Compare =
  /** Whether the transaction with this cluster revision was the last to write the key; 0 means that the key is absent. */
  | { readonly key: Uint8Array; readonly modified: number }
  /** Whether the key's value is less or greater than `than`. False for an absent key. */
  | { readonly key: Uint8Array; readonly value: 'less' | 'greater'; readonly than: Uint8Array }

export type Request =
  | { readonly range: RangeRequest }
  | { readonly put: Uint8Array; readonly value: Uint8Array }
  | { readonly remove: Uint8Array }
  | { readonly txn: Txn }

export interface Txn {
  readonly compare: readonly Compare[]
  readonly success: readonly Request[]
  readonly failure: readonly Request[]
}

export interface Header {
  /** The cluster id, rounded to a JavaScript number: enough to distinguish two clusters. */
  readonly cluster: number
  /** The cluster's own revision, not the store's. */
  readonly revision: number
}

export interface KeyValue {
  readonly key: Buffer
  readonly value: Buffer
  readonly modified: number
}

export interface RangeAnswer {
  readonly header: Header
  readonly found: readonly KeyValue[]
  /** The number of keys in the range, regardless of the limit. */
  readonly count: number
}

export type OpAnswer = { readonly range: RangeAnswer } | { readonly txn: TxnAnswer } | { readonly other: true }

export interface TxnAnswer {
  readonly header: Header
  readonly succeeded: boolean
  readonly answers: readonly OpAnswer[]
}

export interface WatchAnswer {
  readonly header: Header
  readonly created: boolean
  /** Why the cluster ended the watch; may be empty. */
  readonly canceled: string | undefined
  /**
   * If the watch started at a revision that was already compacted: the oldest available revision. Earlier changes are lost. 0 otherwise.
   */
  readonly compacted: number
  readonly written: readonly KeyValue[]
}

const MODIFIED = 2
const VALUE = 3
const GREATER = 1
const LESS = 2
const ASCENDING = 1
const DESCENDING = 2
const BY_MODIFICATION = 3

function writeRange(to: ProtoWriter, range: RangeRequest): void {
  to.bytes(1, range.key)
  if (range.end) to.bytes(2, range.end)
  to.number(3, range.limit ?? 0)
  to.number(4, range.revision ?? 0)
  if (range.order) to.number(5, range.order === 'oldest first' ? ASCENDING : DESCENDING)
  if (range.order === 'oldest first') to.number(6, BY_MODIFICATION)
  to.number(8, range.keysOnly ?? false)
  to.number(9, range.countOnly ?? false)
}

function writeCompare(to: ProtoWriter, compare: Compare): void {
  if ('modified' in compare) {
    to.number(2, MODIFIED)
    to.bytes(3, compare.key)
    to.given(6, compare.modified)
    return
  }
  to.number(1, compare.value === 'less' ? LESS : GREATER)
  to.number(2, VALUE)
  to.bytes(3, compare.key)
  to.bytes(7, compare.than)
}

function writeRequest(to: ProtoWriter, request: Request): void {
  if ('range' in request) to.message(1, () => writeRange(to, request.range))
  else if ('put' in request) {
    to.message(2, () => {
      to.bytes(1, request.put)
      to.bytes(2, request.value)
    })
  } else if ('remove' in request) to.message(3, () => to.bytes(1, request.remove))
  else to.message(4, () => writeTxn(to, request.txn))
}

export function writeTxn(to: ProtoWriter, { compare, success, failure }: Txn): void {
  for (const one of compare) to.message(1, () => writeCompare(to, one))
  for (const one of success) to.message(2, () => writeRequest(to, one))
  for (const one of failure) to.message(3, () => writeRequest(to, one))
}

export const rangeRequest =
  (range: RangeRequest) =>
  (to: ProtoWriter): void =>
    writeRange(to, range)

export const txnRequest =
  (txn: Txn) =>
  (to: ProtoWriter): void =>
    writeTxn(to, txn)

export const passwordRequest =
  (user: string, password: string) =>
  (to: ProtoWriter): void => {
    to.text(1, user)
    to.text(2, password)
  }

/** Watches puts under a prefix; deletions are not reported. */
export const watchRequest =
  (key: Uint8Array, end: Uint8Array, from: number) =>
  (to: ProtoWriter): void =>
    to.message(1, () => {
      to.bytes(1, key)
      to.bytes(2, end)
      to.number(3, from)
      to.number(4, true)
      to.number(5, 1)
    })

function readHeader(from: ProtoReader): Header {
  let [cluster, revision] = [0, 0]
  for (let field = from.next(); field !== 0; field = from.next()) {
    if (field === 1) cluster = from.number()
    else if (field === 3) revision = from.number()
    else from.skip()
  }
  return { cluster, revision }
}

const NO_HEADER: Header = { cluster: 0, revision: 0 }
const NO_BYTES: Buffer = Buffer.alloc(0)

function readKeyValue(from: ProtoReader): KeyValue {
  let [key, value, modified] = [NO_BYTES, NO_BYTES, 0]
  for (let field = from.next(); field !== 0; field = from.next()) {
    if (field === 1) key = from.bytes()
    else if (field === 3) modified = from.number()
    else if (field === 5) value = from.bytes()
    else from.skip()
  }
  return { key, value, modified }
}

export function readRange(from: ProtoReader): RangeAnswer {
  const found: KeyValue[] = []
  let [header, count] = [NO_HEADER, 0]
  for (let field = from.next(); field !== 0; field = from.next()) {
    if (field === 1) header = readHeader(from.message())
    else if (field === 2) found.push(readKeyValue(from.message()))
    else if (field === 4) count = from.number()
    else from.skip()
  }
  return { header, found, count }
}

function readAnswer(from: ProtoReader): OpAnswer {
  const field = from.next()
  if (field === 1) return { range: readRange(from.message()) }
  if (field === 4) return { txn: readTxn(from.message()) }
  return { other: true }
}

export function readTxn(from: ProtoReader): TxnAnswer {
  const answers: OpAnswer[] = []
  let [header, succeeded] = [NO_HEADER, false]
  for (let field = from.next(); field !== 0; field = from.next()) {
    if (field === 1) header = readHeader(from.message())
    else if (field === 2) succeeded = from.number() === 1
    else if (field === 3) answers.push(readAnswer(from.message()))
    else from.skip()
  }
  return { header, succeeded, answers }
}

export function readAuthToken(from: ProtoReader): string {
  let token = ''
  for (let field = from.next(); field !== 0; field = from.next()) {
    if (field === 2) token = from.text()
    else from.skip()
  }
  return token
}

/** The key and value of a watch event; undefined for a deletion. Events of puts have no type field, because put is the default type. */
function readWritten(from: ProtoReader): KeyValue | undefined {
  let [written, deleted]: [KeyValue | undefined, boolean] = [undefined, false]
  for (let field = from.next(); field !== 0; field = from.next()) {
    if (field === 1) deleted = from.number() === 1
    else if (field === 2) written = readKeyValue(from.message())
    else from.skip()
  }
  return deleted ? undefined : written
}

export function readWatch(from: ProtoReader): WatchAnswer {
  const written: KeyValue[] = []
  let [header, created, ended, compacted, reason] = [NO_HEADER, false, false, 0, '']
  for (let field = from.next(); field !== 0; field = from.next()) {
    if (field === 1) header = readHeader(from.message())
    else if (field === 3) created = from.number() === 1
    else if (field === 4) ended = from.number() === 1
    else if (field === 5) compacted = from.number()
    else if (field === 6) reason = from.text()
    else if (field === 11) {
      const one = readWritten(from.message())
      if (one) written.push(one)
    } else from.skip()
  }
  return { header, created, canceled: ended ? reason : undefined, compacted, written }
}
