/**
 * Values as bytes, for messages between clusters: what JSON has, and bytes, undefined, whole numbers of any size and very wide objects.
 */
import { fromUtf8, toUtf8 } from '../../../core/base/bytes.ts'
import { entriesOf, PART_MEMBERS, WideObject } from '../../../core/json/wide-object.ts'

export type Packable = unknown

const KINDS = ['undefined', 'null', 'false', 'true', 'number', 'bigint', 'text', 'bytes', 'list', 'object', 'wide'] as const

type Kind = (typeof KINDS)[number]

/** Nothing that a kernel sends is nested deeper. */
const MOST_LEVELS = 1100

const NUMBER_BYTES = 8

class Writer {
  #bytes = new Uint8Array(1024)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  room(more: number): number {
    const at = this.#length
    this.#length += more
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2))
      grown.set(this.#bytes.subarray(0, at))
      this.#bytes.fill(0)
      this.#bytes = grown
      this.#view = new DataView(grown.buffer)
    }
    return at
  }

  kind(kind: Kind): void {
    // The room comes first: making it may replace the bytes.
    const at = this.room(1)
    this.#bytes[at] = KINDS.indexOf(kind)
  }

  size(size: number): void {
    const at = this.room(4)
    this.#view.setUint32(at, size)
  }

  number(value: number): void {
    const at = this.room(NUMBER_BYTES)
    this.#view.setFloat64(at, value)
  }

  raw(bytes: Uint8Array): void {
    this.size(bytes.length)
    const at = this.room(bytes.length)
    this.#bytes.set(bytes, at)
  }

  done(): Uint8Array {
    const out = this.#bytes.slice(0, this.#length)
    this.#bytes.fill(0)
    return out
  }
}

/** @throws TypeError for functions, symbols, and what is nested too deep. */
export function pack(value: Packable): Uint8Array {
  const writer = new Writer()
  write(writer, value, 0)
  return writer.done()
}

function write(writer: Writer, value: unknown, level: number): void {
  if (level > MOST_LEVELS) throw new TypeError('the value is nested too deep')
  if (value === undefined) writer.kind('undefined')
  else if (value === null) writer.kind('null')
  else if (typeof value === 'boolean') writer.kind(value ? 'true' : 'false')
  else if (typeof value === 'number') {
    writer.kind('number')
    writer.number(value)
  } else if (typeof value === 'bigint' || typeof value === 'string') {
    writer.kind(typeof value === 'bigint' ? 'bigint' : 'text')
    writer.raw(toUtf8(String(value)))
  } else if (value instanceof Uint8Array) {
    writer.kind('bytes')
    writer.raw(value)
  } else if (Array.isArray(value)) {
    writer.kind('list')
    writer.size(value.length)
    for (const item of value) write(writer, item, level + 1)
  } else if (typeof value === 'object') writeObject(writer, value, level)
  else throw new TypeError(`a ${typeof value} cannot be sent`)
}

function writeObject(writer: Writer, value: object, level: number): void {
  const entries = [...entriesOf(value)]
  writer.kind(value instanceof WideObject ? 'wide' : 'object')
  writer.size(entries.length)
  for (const [name, member] of entries) {
    writer.raw(toUtf8(name))
    write(writer, member, level + 1)
  }
}

class Reader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #offset = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  kind(): Kind {
    const kind = KINDS[this.#view.getUint8(this.#offset++)]
    if (!kind) throw new RangeError('no kind of value')
    return kind
  }

  /** A number of things that take at least `least` bytes each. */
  size(least: number): number {
    const size = this.#view.getUint32(this.#offset)
    this.#offset += 4
    if (size * least > this.#bytes.length - this.#offset) throw new RangeError('more than there is')
    return size
  }

  number(): number {
    this.#offset += NUMBER_BYTES
    return this.#view.getFloat64(this.#offset - NUMBER_BYTES)
  }

  raw(): Uint8Array {
    const size = this.size(1)
    this.#offset += size
    return this.#bytes.slice(this.#offset - size, this.#offset)
  }

  get isOver(): boolean {
    return this.#offset === this.#bytes.length
  }
}

/** Undefined for bytes that {@link pack} did not make. */
export function unpack(bytes: Uint8Array): { readonly value: unknown } | undefined {
  try {
    const reader = new Reader(bytes)
    const value = read(reader, 0)
    return reader.isOver ? { value } : undefined
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError) return undefined
    throw error
  }
}

function read(reader: Reader, level: number): unknown {
  if (level > MOST_LEVELS) throw new RangeError('nested too deep')
  const kind = reader.kind()
  if (kind === 'undefined') return undefined
  if (kind === 'null') return null
  if (kind === 'false' || kind === 'true') return kind === 'true'
  if (kind === 'number') return reader.number()
  if (kind === 'text') return fromUtf8(reader.raw())
  if (kind === 'bigint') return BigInt(fromUtf8(reader.raw()))
  if (kind === 'bytes') return reader.raw()
  if (kind === 'list') {
    const list: unknown[] = []
    for (let left = reader.size(1); left > 0; left--) list.push(read(reader, level + 1))
    return list
  }
  return kind === 'wide' ? wide(reader, level) : plain(reader, level)
}

function plain(reader: Reader, level: number): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (let left = reader.size(5); left > 0; left--) put(object, fromUtf8(reader.raw()), read(reader, level + 1))
  return object
}

function wide(reader: Reader, level: number): WideObject {
  const object = new WideObject()
  for (let left = reader.size(5), n = 0; left > 0; left--, n++) {
    if (n > 0 && n % PART_MEMBERS === 0) object.extend()
    put(object.last, fromUtf8(reader.raw()), read(reader, level + 1))
  }
  return object
}

/** A member may be called `__proto__`. */
const put = (object: Record<string, unknown>, name: string, value: unknown): void =>
  void Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
