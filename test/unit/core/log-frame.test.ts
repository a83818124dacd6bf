import { describe, expect, it } from 'vitest'
import { termOf } from '../../../src/core/barrier/record.ts'
import { encodeLogFrame, type LogFrame, readFrame } from '../../../src/core/log/frame.ts'

const seal = { seal: (_: string, list: Uint8Array) => list }
const POSITION = { epoch: 3, index: 70_000 }
const DR_POSITION = { epoch: 5, origin: '0123456789abcdef' }

const frame = (parts: Partial<LogFrame> = {}): LogFrame => ({
  id: new Uint8Array(16).fill(7),
  at: 1_700_000_000_000,
  position: POSITION,
  ops: [{ op: 'put', key: 'r/mount/secret/a', value: new Uint8Array(300).fill(1) }],
  ...parts,
})

describe('the entries of a log frame', () => {
  it.each([
    ['without a position in the DR set', frame()],
    ['with a position in the DR set', frame({ dr: DR_POSITION })],
  ])('contain its positions, whole or in pieces: %s', (_, made) => {
    const { id, at, position } = made
    for (const maxBytes of [10_000, 100]) {
      const entries = encodeLogFrame(made, maxBytes, seal)
      expect(entries.length > 1).toBe(maxBytes === 100)
      const read = readFrame(entries)
      expect(read).toMatchObject({ id, at, position })
      expect(read.dr).toEqual(made.dr)
      expect(read.values).toEqual(new Uint8Array(300).fill(1))
    }
  })

  it('are not mistaken for barrier records', () => {
    for (const made of [frame(), frame({ dr: DR_POSITION })])
      expect(encodeLogFrame(made, 100, seal).map(termOf)).toEqual(encodeLogFrame(made, 100, seal).map(() => undefined))
  })
})
