/**
 * The format of a backup: a stream of bytes that shows whether it is complete.
 *
 * A backup consists of a head and frames. The head is the string "strongroom backup", a zero byte and the format byte. A frame is the
 * uint32 length of its content, the kind byte, the content and a 32-byte checksum. Numbers are big-endian.
 *
 * The checksum of a frame is SHA-256 over the checksum of the previous frame (for the first frame: over the head), the frame's first five
 * bytes and its content. So if a frame was altered, omitted, moved or taken from another backup, a checksum is wrong. A backup without an
 * end frame is incomplete.
 *
 * Contents by kind:
 *
 * - Records (1): for each record the uint32 length of the key, the key in UTF-8, the uint32 length of the value, the value.
 * - Deleted (2): keys that earlier frames may contain but that no longer exist, each with its uint32 length.
 * - Restart (3): discard all earlier frames.
 * - End (4): JSON, `{"revision":n}`.
 *
 * If several frames contain a key, the last one applies.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { fromUtf8, toUtf8 } from '../base/bytes.ts'
import { KernelError } from '../base/errors.ts'
import type { SnapshotPart } from './snapshot.ts'

const FORMAT = 1
const HEAD = /* @__PURE__ */ toUtf8('strongroom backup\0')
const KINDS = ['records', 'deleted', 'restart', 'end'] as const
const FRAME_HEAD_BYTES = 5
const SUM_BYTES = 32
/** The maximum size of the content of a frame. No storage accepts values of nearly this size. */
const MAX_CONTENT_BYTES = 512 * 1024 * 1024

export interface StoredRecord {
  readonly key: string
  readonly value: Uint8Array
}
export type BackupFrame =
  | { readonly kind: 'records'; readonly entries: readonly StoredRecord[] }
  | Exclude<SnapshotPart, { kind: 'records' }>
  | { readonly kind: 'end'; readonly revision: number }

const damagedBackupError = (): KernelError => new KernelError('ERR_INVALID_REQUEST', 'the backup is damaged')

export class BackupWriter {
  #sum: Uint8Array = new Uint8Array()

  head(): Uint8Array {
    const head = new Uint8Array([...HEAD, FORMAT])
    this.#sum = sha256(head)
    return head
  }

  frame(frame: BackupFrame): Uint8Array {
    const content = contentOf(frame)
    const out = new Uint8Array(FRAME_HEAD_BYTES + content.length + SUM_BYTES)
    new DataView(out.buffer).setUint32(0, content.length)
    out[4] = KINDS.indexOf(frame.kind) + 1
    out.set(content, FRAME_HEAD_BYTES)
    this.#sum = sumOf(this.#sum, out.subarray(0, FRAME_HEAD_BYTES + content.length))
    out.set(this.#sum, FRAME_HEAD_BYTES + content.length)
    return out
  }
}

const sumOf = (before: Uint8Array, frame: Uint8Array): Uint8Array => sha256.create().update(before).update(frame).digest()

function contentOf(frame: BackupFrame): Uint8Array {
  if (frame.kind === 'restart') return new Uint8Array()
  if (frame.kind === 'end') return toUtf8(JSON.stringify({ revision: frame.revision }))
  const pieces =
    frame.kind === 'deleted' ? frame.keys.map(toUtf8) : frame.entries.flatMap(({ key, value }) => [toUtf8(key), value])
  const out = new Uint8Array(pieces.reduce((size, piece) => size + 4 + piece.length, 0))
  const view = new DataView(out.buffer)
  let at = 0
  for (const piece of pieces) {
    view.setUint32(at, piece.length)
    out.set(piece, at + 4)
    at += 4 + piece.length
  }
  return out
}

/**
 * Yields the frames of a backup. Each frame is verified to be the one that was written at its position.
 * @throws KernelError ERR_INVALID_REQUEST if the bytes are not a backup, have a newer format, or are damaged or truncated. TypeError if the
 * source yields a value that is not a Uint8Array.
 */
export async function* readFrames(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<BackupFrame> {
  const input = new ByteReader(source)
  try {
    yield* framesIn(input)
  } finally {
    await input.close()
  }
}

async function* framesIn(input: ByteReader): AsyncGenerator<BackupFrame> {
  const head = await input.take(HEAD.length + 1)
  if (!head || HEAD.some((byte, at) => head[at] !== byte))
    throw new KernelError('ERR_INVALID_REQUEST', 'this is not a backup of a store')
  const format = head[HEAD.length] as number
  if (format !== FORMAT)
    throw new KernelError('ERR_INVALID_REQUEST', `the backup has format ${format}; this release reads format ${FORMAT}`)
  let sum: Uint8Array = sha256(head)
  for (;;) {
    const start = (await input.take(FRAME_HEAD_BYTES)) ?? throwTruncated()
    const length = new DataView(start.buffer, start.byteOffset).getUint32(0)
    if (length > MAX_CONTENT_BYTES) throw damagedBackupError()
    const rest = (await input.take(length + SUM_BYTES)) ?? throwTruncated()
    const content = rest.subarray(0, length)
    sum = sha256.create().update(sum).update(start).update(content).digest()
    if (sum.some((byte, at) => rest[length + at] !== byte)) throw damagedBackupError()
    const frame = readFrame(KINDS[(start[4] as number) - 1], content)
    if (frame.kind === 'end' && (await input.take(1))) throw damagedBackupError()
    yield frame
    if (frame.kind === 'end') return
  }
}

function throwTruncated(): never {
  throw new KernelError('ERR_INVALID_REQUEST', 'the backup is truncated')
}

function readFrame(kind: (typeof KINDS)[number] | undefined, content: Uint8Array): BackupFrame {
  if (kind === 'restart') return { kind }
  if (kind === 'end') return { kind, revision: readRevision(content) }
  const pieces = [...piecesOf(content)]
  if (kind === 'deleted') return { kind, keys: pieces.map((piece) => fromUtf8(piece)) }
  if (kind !== 'records' || pieces.length % 2 !== 0) throw damagedBackupError()
  const entries = pieces.flatMap((key, at) => (at % 2 === 0 ? [{ key: fromUtf8(key), value: pieces[at + 1]! }] : []))
  return { kind, entries }
}

function readRevision(content: Uint8Array): number {
  try {
    const { revision } = JSON.parse(fromUtf8(content)) as { revision?: unknown }
    if (Number.isSafeInteger(revision)) return revision as number
  } catch {
    // Ignored: the error below reports content that cannot be parsed.
  }
  throw damagedBackupError()
}

function* piecesOf(content: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(content.buffer, content.byteOffset, content.length)
  for (let at = 0; at < content.length; ) {
    const end = at + 4 <= content.length ? at + 4 + view.getUint32(at) : Number.POSITIVE_INFINITY
    if (end > content.length) throw damagedBackupError()
    yield content.subarray(at + 4, end)
    at = end
  }
}

/** Reads a requested number of bytes from chunks of any size. */
class ByteReader {
  readonly #source: AsyncIterator<Uint8Array> | Iterator<Uint8Array>
  #chunks: Uint8Array[] = []
  #length = 0

  constructor(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    const asynchronous = (source as Partial<AsyncIterable<Uint8Array>>)[Symbol.asyncIterator]
    this.#source = asynchronous ? asynchronous.call(source) : (source as Iterable<Uint8Array>)[Symbol.iterator]()
  }

  /** Closes the source, for example a file. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }

  /** Returns undefined if fewer than `length` bytes are left. */
  async take(length: number): Promise<Uint8Array | undefined> {
    while (this.#length < length) {
      const { done, value } = await this.#source.next()
      if (done) return undefined
      if (!(value instanceof Uint8Array)) throw new TypeError('source: must yield Uint8Array chunks')
      this.#chunks.push(value)
      this.#length += value.length
    }
    const taken = new Uint8Array(length)
    let at = 0
    while (at < length) {
      const chunk = this.#chunks[0]!
      const used = chunk.subarray(0, length - at)
      taken.set(used, at)
      at += used.length
      if (used.length === chunk.length) this.#chunks.shift()
      else this.#chunks[0] = chunk.subarray(used.length)
    }
    this.#length -= length
    return taken
  }
}
