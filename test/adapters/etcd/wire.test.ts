/** The wire format of the client: protocol buffers and gRPC frames. Runs without a cluster. */
import { describe, expect, it } from 'vitest'
import { frameOf, GrpcFrameReader } from '../../../src/adapters/storage-etcd/frames.ts'
import { ProtoReader, ProtoWriter } from '../../../src/adapters/storage-etcd/protobuf.ts'
import fc from '../../fixtures/fast-check.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('the protobuf format', () => {
  it('is written as in the examples of its documentation', () => {
    const number = new ProtoWriter()
    number.number(1, 150)
    expect(hex(number.finish())).toBe('089601')
    const text = new ProtoWriter()
    text.text(2, 'testing')
    expect(hex(text.finish())).toBe('120774657374696e67')
    const none = new ProtoWriter()
    none.number(1, 0)
    none.number(2, false)
    expect(none.length).toBe(0)
  })

  it('is read as in the examples of its documentation, and unknown fields are skipped', () => {
    const reader = new ProtoReader(Buffer.from('089601120774657374696e671d01020304210102030405060708', 'hex'))
    expect([reader.next(), reader.number(), reader.next(), reader.text()]).toEqual([1, 150, 2, 'testing'])
    expect(reader.next()).toBe(3)
    reader.skip()
    expect(reader.next()).toBe(4)
    reader.skip()
    expect(reader.next()).toBe(0)
  })

  it('is read back as it was written, including nested messages', () => {
    const field = fc.integer({ min: 1, max: 5000 })
    const leaf = fc.oneof(
      fc.record({ field, number: fc.maxSafeNat() }),
      fc.record({ field, bytes: fc.uint8Array({ maxLength: 2000 }) }),
    )
    const message = fc.array(fc.oneof(leaf, fc.record({ field, inside: fc.array(leaf, { maxLength: 5 }) })), { maxLength: 20 })
    type Leaf = { field: number; number: number } | { field: number; bytes: Uint8Array }
    type Part = Leaf | { field: number; inside: Leaf[] }
    const write = (writer: ProtoWriter, parts: readonly Part[]): void => {
      for (const part of parts)
        if ('number' in part) writer.given(part.field, part.number)
        else if ('bytes' in part) writer.bytes(part.field, part.bytes)
        else writer.message(part.field, () => write(writer, part.inside))
    }
    const read = (reader: ProtoReader, parts: readonly Part[]): void => {
      for (const part of parts) {
        expect(reader.next()).toBe(part.field)
        if ('number' in part) expect(reader.number()).toBe(part.number)
        else if ('bytes' in part) expect(hex(reader.bytes())).toBe(hex(part.bytes))
        else read(reader.message(), part.inside)
      }
      expect(reader.next()).toBe(0)
    }
    fc.assert(
      fc.property(message, fc.nat(16), (parts, offset) => {
        const writer = new ProtoWriter(offset)
        write(writer, parts)
        read(new ProtoReader(writer.finish(), offset), parts)
      }),
    )
  })

  it('leads to a RangeError if a truncated message is read', () => {
    const writer = new ProtoWriter()
    writer.bytes(1, Buffer.from('abcdef'))
    const whole = writer.finish()
    for (let length = 1; length < whole.length; length++) {
      const reader = new ProtoReader(whole, 0, length)
      expect(() => {
        reader.next()
        reader.bytes()
      }, `${length} bytes`).toThrow(RangeError)
    }
  })
})

describe('FrameReader', () => {
  it('returns the same messages however the stream is divided', () => {
    const messages = ['', 'a', 'x'.repeat(70_000), 'end']
    const stream = Buffer.concat(messages.map((text) => frameOf((to) => to.text(1, text))))
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (cuts) => {
        const found: string[] = []
        const frames = new GrpcFrameReader(1_000_000)
        let from = 0
        for (const to of [...cuts.toSorted((a, b) => a - b), stream.length]) {
          for (const message of frames.take(stream.subarray(from, to))) {
            expect(message.next()).toBe(1)
            found.push(message.text())
          }
          from = to
        }
        expect(found).toEqual(messages)
      }),
    )
  })
})
