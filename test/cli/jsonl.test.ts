import { describe, expect, it } from 'vitest'
import { lineTemplate } from '../../src/cli/jsonl/line-template.ts'
import { memberSpan } from '../../src/cli/jsonl/member-span.ts'
import fc from '../fixtures/fast-check.ts'

describe('the place of a member in a JSON text', () => {
  it('contains the value that JSON.parse returns, for any object and any spacing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom('', ' ', '\t'), (object, space) => {
        const text = ` ${JSON.stringify(object, undefined, space)}\n`
        for (const [name, value] of Object.entries(object)) {
          const span = memberSpan(text, name)
          expect(JSON.parse(text.slice(span?.from, span?.to))).toEqual(JSON.parse(JSON.stringify(value)))
        }
        expect(memberSpan(text, `${Object.keys(object).join()}!`)).toBeUndefined()
      }),
    )
  })

  it('is that of the last member if a name occurs twice, as in JSON.parse', () => {
    const text = '{"a":1,"b":{"a":2},"a":"3"}'
    const span = memberSpan(text, 'a')
    expect(text.slice(span?.from, span?.to)).toBe('"3"')
  })

  it('finds names with escape sequences', () => {
    const text = '{"\\u0061\\"": [1, "]"] , "c": true}'
    const span = memberSpan(text, 'a"')
    expect(text.slice(span?.from, span?.to)).toBe('[1, "]"]')
  })
})

describe('a template for associated data', () => {
  const fill = (template: string, line: string): string => lineTemplate('aad', template)(line, JSON.parse(line))

  it('is filled with strings, booleans and numbers of the line', () => {
    expect(fill('customers/{kind}/{id}/{on}', '{"id":17,"kind":"a b","on":true}')).toBe('customers/a b/17/true')
  })

  it('keeps all digits of large numbers', () => {
    expect(fill('{id}', '{"id": 12345678901234567890 }')).toBe('12345678901234567890')
  })

  it('contains braces that are doubled', () => {
    expect(fill('{{{id}}}', '{"id":"x"}')).toBe('{x}')
  })

  it.each(['{', '}', 'a{id', 'id}', '{}'])('is refused if it is %j', (template) => {
    expect(() => lineTemplate('aad', template)).toThrow('--aad: write {name} for a member')
  })

  it.each(['{"id":null}', '{"id":[1]}', '{}', '{"toString":{}}'])('cannot be filled from %s', (line) => {
    expect(() => fill('{id}', line)).toThrow('the member id must be a string, a number or a boolean')
    expect(() => fill('{toString}', line)).toThrow('the member toString must be')
  })
})
