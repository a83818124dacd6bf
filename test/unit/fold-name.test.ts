import { expect, it } from 'vitest'
import { foldName } from '../../src/core/base/fold-name.ts'

const CODE_POINTS = 0x110000
const BATCH = 4096

/** All code points except surrogates, in batches. */
function* batches(): Generator<readonly string[]> {
  for (let from = 0; from < CODE_POINTS; from += BATCH)
    yield Array.from({ length: BATCH }, (_, i) => from + i)
      .filter((point) => point < 0xd800 || point > 0xdfff)
      .map((point) => String.fromCodePoint(point))
}

it('foldName converts each character separately, so that a prefix stays a prefix', () => {
  for (const characters of batches()) {
    const apart = characters.map(foldName)
    expect(foldName(characters.join(''))).toBe(apart.join(''))
    expect(foldName(characters.join('A'))).toBe(apart.join('a'))
    expect(apart.map(foldName)).toEqual(apart)
  }
})

it('foldName converts each character to one character, and treats the Kelvin sign and the dotted I as Go does', () => {
  for (const characters of batches())
    expect(characters.filter((character) => Array.from(foldName(character)).length !== 1)).toEqual([])
  expect(foldName('\u212AIOS\u0130\u017F')).toBe('kiosi\u017F')
})
