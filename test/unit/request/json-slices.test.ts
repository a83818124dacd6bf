import { describe, expect, it } from 'vitest'
import type { Steps } from '../../../src/core/base/steps.ts'
import { snapshotJson } from '../../../src/core/exchange/snapshot.ts'
import { parseJson } from '../../../src/core/json/json.ts'
import { MEASURED } from '../../fixtures/measured.ts'

const LENGTH = (process.env['SLOW'] ? 32 : 8) * 1_048_576

/** A text of about LENGTH bytes: `unit(0)`, `unit(1)`, ... between head and tail. */
function text(head: string, unit: (i: number) => string, tail: string): Uint8Array {
  const out = Buffer.alloc(LENGTH)
  let at = out.write(head)
  for (let i = 0; ; i++) {
    const next = unit(i)
    if (at + next.length > LENGTH - 32) break
    at += out.write(next, at, 'latin1')
  }
  at += out.write(tail, at, 'latin1')
  return out.subarray(0, at)
}

/** Milliseconds of the processor that every slice takes, ascending. A refusal ends the last one. */
function slices(steps: Steps<unknown>): number[] {
  const times: number[] = []
  for (let done = false; !done; ) {
    const start = process.cpuUsage()
    try {
      done = steps.next().done === true
    } catch {
      done = true
    }
    times.push(process.cpuUsage(start).user / 1000)
  }
  return times.sort((a, b) => a - b)
}

/**
 * Bounds are generous and three attempts are made: the machine may be busy, and the collector stops the world when it likes. A few
 * slices may be the engine's own, which cannot be divided: it copies the table of an array or object of millions of members when
 * that grows.
 */
function expectShort(steps: () => Steps<unknown>, worst: number): void {
  let best: readonly number[] = [Number.POSITIVE_INFINITY]
  for (let attempt = 0; attempt < 3; attempt++) {
    const times = slices(steps())
    if ((times.at(-1) as number) < (best.at(-1) as number)) best = times
    if ((best.at(-1) as number) < worst / 2) break
  }
  expect(best[Math.floor(best.length * 0.95)]).toBeLessThan(50)
  expect(best.at(-1)).toBeLessThan(worst)
}

describe('slices of a very long JSON text', MEASURED, () => {
  it.each<[string, () => Uint8Array]>([
    ['one string', () => text('"', () => 'x'.repeat(1000), '"')],
    ['one string of escapes', () => text('"', () => '\\n\\ud83d', '"')],
    ['one string without an end', () => text('"', () => 'x'.repeat(1000), '')],
    ['one member name', () => text('{"', () => 'abcd', '":1}')],
    ['white space', () => text('', () => ' \n', '')],
    ['white space after the value', () => text('0', () => ' \n', 'x')],
    ['opening brackets', () => text('', () => '[', '')],
    ['one number', () => text('', () => '9', '')],
    ['one fraction', () => text('0.', () => '0', '1')],
    ['long integers', () => text('[', () => `${'9'.repeat(300)},`, '0]')],
    ['long names of one length', () => text('{', (i) => `"${'n'.repeat(16_390)}${1000 + i}":0,`, '"":0}')],
  ])('%s', (_, make) => {
    const input = make()
    expectShort(() => parseJson(input), process.env['SLOW'] ? 200 : 100)
  })

  it.each<[string, () => Uint8Array]>([
    ['zeros', () => text('[', () => '0,', '0]')],
    ['empty objects', () => text('[', () => '{},', '0]')],
    ['empty arrays', () => text('[', () => '[],', '0]')],
    ['objects with a name each', () => text('[', (i) => `{"k${i}":0},`, '0]')],
    ['one name again and again', () => text('{', () => '"k":0,', '"":0}')],
    ['distinct names', () => text('{', (i) => `"k${i}":0,`, '"":0}')],
    ['numeric names, descending', () => text('{', (i) => `"${21_000_000 - i * 7}":0,`, '"":0}')],
    ['doubles', () => text('[', (i) => `${i}.123456789,`, '0]')],
    ['strings', () => text('[', () => '"ab",', '0]')],
  ])('%s', (_, make) => {
    const input = make()
    expectShort(() => parseJson(input), process.env['SLOW'] ? 3000 : 1000)
  })
})

describe('slices of a large value', MEASURED, () => {
  it.each<[string, () => unknown]>([
    ['numbers', () => new Array(LENGTH / 2 - 10).fill(0)],
    ['objects', () => Array.from({ length: LENGTH / 16 }, (_, i) => ({ i }))],
    ['one array again and again', () => Array.from({ length: 40 }).reduce((inner: unknown) => [inner, inner], [])],
    ['an array without elements', () => new Array(4_000_000_000)],
  ])('%s', (_, make) => {
    const input = make()
    expectShort(() => snapshotJson(input, LENGTH), process.env['SLOW'] ? 3000 : 1000)
  })
})
