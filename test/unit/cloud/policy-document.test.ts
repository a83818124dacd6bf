import { describe, expect, it } from 'vitest'
import { compactDocument } from '../../../src/engines/cloud/role/policy-document.ts'
import fc from '../../fixtures/fast-check.ts'

it.each([
  ['removes all four kinds of whitespace', ' {\t"a"\r\n:\n[ 1 , 2 ] } ', '{"a":[1,2]}'],
  ['keeps whitespace in strings and names', '{ "a b" : " c\td " }'.replace('\t', '\\t'), '{"a b":" c\\td "}'],
  [
    'keeps the digits of numbers',
    '[ 1.50e+2, 12345678901234567890, 1.0, -0, 1E5, 0.10 ]',
    '[1.50e+2,12345678901234567890,1.0,-0,1E5,0.10]',
  ],
  ['keeps escapes', '"\\u00e9\\/\\ud83d\\ude00\\u003c<&>"', '"\\u00e9\\/\\ud83d\\ude00\\u003c<&>"'],
  ['keeps the order of members', '{ "b":1, "a":2, "10":3, "9":4 }', '{"b":1,"a":2,"10":3,"9":4}'],
  ['keeps duplicate members', '{ "x" : 1 , "x" : 2 }', '{"x":1,"x":2}'],
  ['keeps a member named __proto__', '{ "__proto__" : { "a" : 1 } }', '{"__proto__":{"a":1}}'],
  ['does not end a string at an escaped quote', '{"a":"\\" : \\\\", "b" : 1}', '{"a":"\\" : \\\\","b":1}'],
  ['does not count brackets in strings as levels', `"${'['.repeat(100)}"`, `"${'['.repeat(100)}"`],
  ['keeps Unicode spaces in a string', '"\u00a0\u2028\ufeff"', '"\u00a0\u2028\ufeff"'],
  ['accepts a list', '[]', '[]'],
  ['accepts a string', '"text"', '"text"'],
  ['accepts a number', ' 7 ', '7'],
  ['accepts null', 'null', 'null'],
])('compactDocument %s', (_, written, kept) => {
  expect(compactDocument(written)).toBe(kept)
})

it.each([
  '{',
  'nope',
  '{"a":1,}',
  "{'a':1}",
  '{"a":1} x',
  '{"a":01}',
  '{"a":"\n"}',
  '{a:1}',
  '',
  ' ',
  '1 2',
  'tr ue',
  '1 .5',
  '"a" "b"',
  '{"a":1}{"b":2}',
  '\0',
  '{"a":"\0"}',
  '// no\n{}',
  '\ufeff{}',
  '\u00a0{}',
  '"a',
  '"a\\"',
  '"\\x"',
  '[1,]',
  'NaN',
  '+1',
  '.5',
  `${' '.repeat(70_000)}{}`,
  `"${'x'.repeat(70_000)}"`,
  '['.repeat(30_000) + ']'.repeat(30_000),
  `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`,
])('compactDocument refuses %j', (text) => {
  expect(compactDocument(text)).toBeUndefined()
})

it('compactDocument accepts 32 levels of nesting', () => {
  const deep = '[ '.repeat(32) + ']'.repeat(32)
  expect(compactDocument(deep)).toBe('['.repeat(32) + ']'.repeat(32))
})

describe('compactDocument on random values', () => {
  it('returns compact JSON for any spacing of the input', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 1, 3, '\t', '\n', ' \r\n'), (value, space) => {
        // `JSON.stringify` uses at most ten characters of indentation.
        expect(compactDocument(JSON.stringify(value, null, space))).toBe(JSON.stringify(value))
      }),
    )
  })

  it('returns its own output unchanged', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const once = compactDocument(text) as string
        expect(compactDocument(once)).toBe(once)
      }),
    )
  })
})
