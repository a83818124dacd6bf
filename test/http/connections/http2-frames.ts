/** Frames of HTTP/2 (RFC 9113) and the few forms of header compression (RFC 7541) that the tests need. */

export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const FLAG = { endStream: 1, ack: 1, endHeaders: 4 } as const

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

export const SETTING = { headerTableSize: 1, initialWindowSize: 4 } as const

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

export function settings(pairs: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = pairs.map(([id, value]) => Buffer.concat([Buffer.from([id >> 8, id & 255]), uint32(value)]))
  return frame(FRAME.settings, 0, 0, Buffer.concat(payload))
}

/** Literals without indexing and without Huffman codes. Each name and value is shorter than 127 bytes. */
export const headerBlock = (headers: readonly (readonly [name: string, value: string])[]): Buffer =>
  Buffer.concat(headers.map(([name, value]) => Buffer.from(`\0${sized(name)}${sized(value)}`, 'latin1')))

const sized = (text: string): string => String.fromCharCode(text.length) + text

/** The status at the beginning of a header block from a server without a dynamic table. */
export function statusIn(block: Buffer): number {
  let at = 0
  while (((block[at] as number) & 0xe0) === 0x20) at++
  const first = block[at] as number
  // Statuses of the static table have one byte.
  if (first & 0x80) return STATIC_STATUSES[first & 0x7f] ?? 0
  const length = block[at + 1] as number
  const value = block.subarray(at + 2, at + 2 + (length & 0x7f))
  return Number(length & 0x80 ? huffmanDigits(value) : value.toString('latin1'))
}

const STATIC_STATUSES: Readonly<Record<number, number>> = { 8: 200, 9: 204, 10: 206, 11: 304, 12: 400, 13: 404, 14: 500 }

/** Digits have codes of 5 bits (0 to 2) and of 6 bits. */
function huffmanDigits(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  let digits = ''
  for (let at = 0; digits.length < 3; ) {
    const five = Number.parseInt(bits.slice(at, at + 5), 2)
    digits += five < 3 ? five : Number.parseInt(bits.slice(at, at + 6), 2) - 0x19 + 3
    at += five < 3 ? 5 : 6
  }
  return digits
}

export interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

/** Splits bytes into frames. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0)

  /** The frames that `chunk` completes. */
  read(chunk: Buffer): readonly Frame[] {
    const frames: Frame[] = []
    let rest = Buffer.concat([this.#rest, chunk])
    for (let length = lengthOf(rest); rest.length >= length; length = lengthOf(rest)) {
      const stream = rest.readUInt32BE(5) & 0x7fffffff
      frames.push({ type: rest[3] as number, flags: rest[4] as number, stream, payload: rest.subarray(9, length) })
      rest = rest.subarray(length)
    }
    this.#rest = rest
    return frames
  }
}

const lengthOf = (bytes: Buffer): number => (bytes.length < 9 ? 9 : 9 + bytes.readUIntBE(0, 3))
