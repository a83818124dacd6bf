/**
 * Compares template functions with slow but simple implementations.
 */

import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../../src/core/base/errors.ts'
import { compileTemplate } from '../../../../src/core/template/index.ts'
import { seededEntropy } from '../../../../src/testing/index.ts'
import fc from '../../../fixtures/fast-check.ts'

const run = (text: string, fields: Record<string, string>): string =>
  compileTemplate(text, 'x').run({ fields, now: 0, entropy: seededEntropy(1) })

const word = fc.string({ unit: 'grapheme', maxLength: 40 })
const few = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '€', '😀'), maxLength: 12 })

describe('in templates with random input,', () => {
  it('truncate returns the longest prefix of whole characters that fits', () => {
    fc.assert(
      fc.property(word, fc.integer({ min: 1, max: 60 }), (text, most) => {
        let expected = ''
        for (const character of text) {
          if (Buffer.byteLength(expected + character) > most) break
          expected += character
        }
        expect(run(`{{truncate ${most} .T}}`, { T: text })).toBe(expected)
      }),
    )
  })

  it('truncate_sha256 returns results within the length, and different ones for different strings', () => {
    fc.assert(
      fc.property(word, word, fc.integer({ min: 9, max: 40 }), (a, b, most) => {
        const [first, second] = [a, b].map((text) => run(`{{truncate_sha256 ${most} .T}}`, { T: text })) as [string, string]
        expect(Buffer.byteLength(first)).toBeLessThanOrEqual(most)
        expect(first === second).toBe(a === b)
      }),
    )
  })

  it('replace replaces any search string, including the empty one', () => {
    fc.assert(
      fc.property(few, few, few, (text, old, put) => {
        const characters = [...text]
        let expected = ''
        if (old === '') expected = put + characters.map((character) => character + put).join('')
        else
          for (let rest = text; rest !== ''; ) {
            if (rest.startsWith(old)) {
              expected += put
              rest = rest.slice(old.length)
            } else {
              const [character] = [...rest] as [string]
              expected += character
              rest = rest.slice(character.length)
            }
          }
        expect(run('{{replace .Old .Put .T}}', { Old: old, Put: put, T: text })).toBe(expected)
      }),
    )
  })

  it('slice, len and index count bytes', () => {
    fc.assert(
      fc.property(word, fc.nat(50), fc.nat(50), (text, from, to) => {
        const bytes = Buffer.from(text)
        expect(run('{{len .T}}', { T: text })).toBe(String(bytes.length))
        if (from < bytes.length) expect(run(`{{index .T ${from}}}`, { T: text })).toBe(String(bytes[from]))
        const slice = () => run(`{{slice .T ${from} ${to} | hex}}`, { T: text })
        if (from <= to && to <= bytes.length) expect(slice()).toBe(bytes.subarray(from, to).toString('hex'))
        else expect(slice).toThrow(KernelError)
      }),
    )
  })

  it('hex and base64 encode reversibly', () => {
    fc.assert(
      fc.property(word, (text) => {
        expect(run('{{hex .T}}', { T: text })).toBe(Buffer.from(text).toString('hex'))
        expect(run('{{base64 .T}}', { T: text })).toBe(Buffer.from(text).toString('base64'))
        expect(run('{{.T | hex | decode_hex}}{{.T | base64 | decode_base64}}', { T: text })).toBe(text + text)
      }),
    )
  })

  it('printf applies width and precision to strings and numbers', () => {
    const options = fc.record({ left: fc.boolean(), width: fc.nat(12), precision: fc.option(fc.nat(12), { nil: undefined }) })
    const sized = (text: string, { left, width }: { left: boolean; width: number }): string => {
      const room = ' '.repeat(Math.max(0, width - [...text].length))
      return left ? text + room : room + text
    }
    const format = ({ left, width, precision }: { left: boolean; width: number; precision: number | undefined }, verb: string) =>
      `%${left ? '-' : ''}${width === 0 ? '' : width}${precision === undefined ? '' : `.${precision}`}${verb}`
    fc.assert(
      fc.property(word, fc.integer(), options, (text, number, option) => {
        const cut = [...text].slice(0, option.precision).join('')
        expect(run(`{{printf "${format(option, 's')}" .T}}`, { T: text })).toBe(sized(cut, option))
        const digits = String(Math.abs(number)).padStart(option.precision ?? 0, '0')
        const shown = number === 0 && option.precision === 0 ? '' : (number < 0 ? '-' : '') + digits
        expect(run(`{{printf "${format(option, 'd')}" ${number}}}`, {})).toBe(sized(shown, option))
      }),
    )
  })

  it('lt, eq and ge compare strings by their bytes', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const order = Buffer.compare(Buffer.from(a), Buffer.from(b))
        expect(run('{{lt .A .B}} {{eq .A .B}} {{ge .A .B}}', { A: a, B: b })).toBe(`${order < 0} ${order === 0} ${order >= 0}`)
      }),
    )
  })

  it('actions trim surrounding white space only with trim markers', () => {
    const blank = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r', 'x'), maxLength: 8 })
    fc.assert(
      fc.property(blank, blank, fc.boolean(), fc.boolean(), (before, after, trimsBefore, trimsAfter) => {
        const template = `${before}{{${trimsBefore ? '- ' : ''}"|"${trimsAfter ? ' -' : ''}}}${after}`
        expect(run(template, {})).toBe(`${trimsBefore ? before.trimEnd() : before}|${trimsAfter ? after.trimStart() : after}`)
      }),
    )
  })
})

it('a random template results in valid UTF-8 or a KernelError', () => {
  const parts = [
    '{{',
    '}}',
    '"',
    '`',
    '\\',
    '.A',
    '$x',
    ':=',
    '=',
    '|',
    '(',
    ')',
    ' ',
    '-',
    'if',
    'else',
    'end',
    'with',
    '3',
    'printf',
    '%',
    'é',
  ]
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 3 })), { maxLength: 30 }), (pieces) => {
      try {
        const made = run(pieces.join(''), { A: 'a' })
        expect(Buffer.from(made).toString()).toBe(made)
      } catch (error) {
        expect(error).toBeInstanceOf(KernelError)
      }
    }),
    { numRuns: 2000 },
  )
})
