/**
 * How bodies become entries, for any kind.
 */
import { describe, expect, it } from 'vitest'
import { entryShape, kindNamed } from '../../../../src/configsvc/entries/index.ts'
import { checkExpression, matches, parseExpression } from '../../../../src/configsvc/expression/index.ts'
import { parseJsonNow } from '../../../../src/core/json/json.ts'
import { accepted, outcome } from './outcome.ts'

const body = (text: string): unknown => parseJsonNow(new TextEncoder().encode(text))

const LEAST = { Kind: 'service-defaults', Name: 'web' }

describe('the kind in the body of an entry', () => {
  it.each(['Kind', 'kind'])('is read from the member "%s"', (name) => {
    expect(accepted({ [name]: 'service-defaults', Name: 'web' })).toEqual(LEAST)
  })

  it.each([
    { sent: { KIND: 'service-defaults', Name: 'web' }, why: 'Kind: is required' },
    { sent: { Name: 'web' }, why: 'Kind: is required' },
    { sent: { Kind: null, Name: 'web' }, why: 'Kind: is required' },
    { sent: { Kind: 7, Name: 'web' }, why: 'Kind: must be a string' },
    { sent: { Kind: '', Name: 'web' }, why: 'invalid config entry kind: ""' },
    { sent: { Kind: 'Service-Defaults', Name: 'web' }, why: 'invalid config entry kind: "Service-Defaults"' },
    { sent: { Kind: 'constructor', Name: 'web' }, why: 'invalid config entry kind: "constructor"' },
    { sent: [LEAST], why: 'body: must be an object' },
    { sent: undefined, why: 'body: must be an object' },
    { sent: 'service-defaults', why: 'body: must be an object' },
  ])('is refused in the body $sent', ({ sent, why }) => {
    expect(outcome(sent)).toContain(why)
  })
})

describe('the members in the body of an entry', () => {
  it('are recognized in any letter case, and by their name rather than by an alias if both are sent', () => {
    const sent = { ...LEAST, EXTERNALSNI: 'a', external_sni: 'b', pRoToCoL: 'http' }
    expect(accepted(sent)).toEqual({ ...LEAST, Protocol: 'http', ExternalSNI: 'a' })
  })

  it.each([
    { path: 'max_request_headers_kb', members: { max_request_headers_kb: 5 } },
    { path: 'Expose.Paths[0].parsed_from_check', members: { Expose: { Paths: { parsed_from_check: true } } } },
    { path: 'EnvoyExtensions[0].envoy_version', members: { EnvoyExtensions: { envoy_version: '1' } } },
    { path: 'EnvoyExtensions[0].consul_version', members: { EnvoyExtensions: { consul_version: '1' } } },
  ])('are refused under a snake-case name that is not an alias in Consul: $path', ({ path, members }) => {
    expect(outcome({ ...LEAST, ...members })).toBe(`invalid config key "${path}"`)
  })

  it('may include members that only responses have, which are ignored', () => {
    const sent = { ...LEAST, kind: 'mesh', CreateIndex: 5, modify_index: 'x', Hash: 123n }
    expect(accepted(sent)).toEqual(LEAST)
  })

  it('must not include a Status if no controller sets one for the kind', () => {
    expect(outcome({ ...LEAST, Status: {} })).toBe('invalid config key "Status"')
  })

  it('are refused with a list of the paths of all unknown ones', () => {
    const sent = {
      ...LEAST,
      Foo: 1,
      UpstreamConfig: { bar: 1, Overrides: [{ Name: 'a' }, { Name: 'b', Limits: { 'a"b': 1 } }] },
    }
    expect(outcome(sent)).toBe(
      [
        'invalid config key "Foo"',
        'invalid config key "UpstreamConfig.bar"',
        'invalid config key "UpstreamConfig.Overrides[1].Limits.a\\"b"',
      ].join('\n'),
    )
  })

  it('are refused with a count of the further unknown ones if very many are unknown', () => {
    const strangers = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`stranger${at}`, 1]))
    expect(
      String(outcome({ ...LEAST, ...strangers }))
        .split('\n')
        .slice(-1),
    ).toEqual(['and 9950 more'])
  })

  it('are not stored if they are null, zero, empty or false', () => {
    const sent = {
      ...LEAST,
      Meta: {},
      Protocol: '',
      Mode: null,
      Expose: { Checks: false, Paths: [] },
      MeshGateway: {},
      MaxInboundConnections: 0,
      EnvoyExtensions: null,
    }
    expect(accepted(sent)).toEqual(LEAST)
  })

  it('are stored if they are zero and zero does not mean the default', () => {
    const sent = { ...LEAST, UpstreamConfig: { Defaults: { Limits: { MaxConnections: 0 }, ConnectTimeoutMs: -5 } } }
    expect(accepted(sent)).toEqual({ ...LEAST, UpstreamConfig: { Defaults: { Limits: { MaxConnections: 0 } } } })
  })

  it.each(['__proto__', 'constructor', 'toString'])('may include a Meta whose only key is %s', (name) => {
    const entry = accepted(body(`{"Kind": "service-defaults", "Name": "web", "Meta": {"${name}": "x"}}`))
    expect(Object.entries(entry.Meta ?? {})).toEqual([[name, 'x']])
    expect(Object.getPrototypeOf(entry.Meta)).toBe(Object.prototype)
  })
})

describe('a free map in an entry', () => {
  const config = (value: unknown) => ({ Kind: 'proxy-defaults', Name: 'global', Config: value })

  it('is stored with its member names unchanged and every digit of its numbers', () => {
    const text =
      '{"Kind": "proxy-defaults", "Config": {"A_b": {"cD": [null, false, 0, "", 12345678901234567890, 1.25, {}]}, "__proto__": 1}}'
    const { Config } = accepted(body(text)) as unknown as { readonly Config: object }
    expect(Object.keys(Config)).toEqual(['A_b', '__proto__'])
    expect(Config).toMatchObject({ A_b: { cD: [null, false, 0, '', 12345678901234567890n, 1.25, {}] } })
  })

  it('is stored with the toJSON result of an object that has toJSON', () => {
    expect(accepted(config({ at: new Date(0) }))).toMatchObject({ Config: { at: '1970-01-01T00:00:00.000Z' } })
  })

  it('is not affected if the caller changes the argument afterwards', () => {
    const sent = config({ list: [{ a: 1 }] })
    const entry = accepted(sent)
    ;(sent.Config as { list: { a: number }[] }).list.push({ a: 2 })
    expect(entry).toMatchObject({ Config: { list: [{ a: 1 }] } })
  })

  it.each([
    { what: 'a circular structure', value: circle(), why: 'levels deep' },
    { what: 'a function', value: { a: () => 1 }, why: 'Config.a: a function is not a JSON value' },
    { what: 'NaN', value: { a: [1, Number.NaN] }, why: 'Config.a[1]: NaN is not a JSON value' },
    { what: 'a Map', value: { a: { b: new Map([['c', 1]]) } }, why: 'Config.a.b: an instance of Map is not a JSON value' },
    { what: 'bytes', value: { a: new Uint8Array(3) }, why: 'Config.a: bytes are not a JSON value' },
    { what: 'an undefined member', value: { a: undefined }, why: 'Config.a: must not be undefined' },
    { what: 'an invalid date', value: { a: new Date(Number.NaN) }, why: 'Config.a: an invalid date is not a JSON value' },
    { what: 'a string that is not Unicode', value: { a: '\udc00' }, why: 'must be Unicode text' },
    { what: 'a name that is not Unicode', value: { '\udc00': 1 }, why: 'must be Unicode text' },
    { what: 'a list that is too long', value: { a: Array.from({ length: 10_001 }, () => 1) }, why: 'at most 10000' },
    { what: 'more than 100,000 values', value: { a: doubled(16) }, why: 'must have at most 100000 values together' },
  ])('is refused if it contains $what', ({ value, why }) => {
    expect(outcome(config(value))).toContain(why)
  })
})

describe('a filter on entries', () => {
  const asks = (expression: string, entry: object): boolean =>
    matches(checkExpression(parseExpression(expression), entryShape(kindNamed('service-defaults'))), entry)

  it.each([
    { expression: 'Protocol == "http"', holds: true },
    { expression: 'Meta.env == prod', holds: true },
    { expression: 'MaxInboundConnections == 3', holds: true },
    { expression: 'MaxInboundConnections != 3 or ModifyIndex == 8', holds: true },
    { expression: 'UpstreamConfig.Overrides.Name == db', holds: true },
    { expression: 'ExternalSNI == ""', holds: true },
    { expression: 'Meta.env == dev', holds: false },
    { expression: 'EnvoyExtensions is empty', holds: true },
  ])('evaluates $expression', ({ expression, holds }) => {
    const sent = {
      ...LEAST,
      Protocol: 'http',
      Meta: { env: 'prod' },
      MaxInboundConnections: 3,
      UpstreamConfig: { Overrides: [{ Name: 'db' }] },
    }
    expect(asks(expression, { ...accepted(sent), CreateIndex: 7, ModifyIndex: 8 })).toBe(holds)
  })

  it('is refused if it names a member that the kind lacks, or compares a number with a word', () => {
    expect(() => asks('Splits is empty', LEAST)).toThrow()
    expect(() => asks('MaxInboundConnections == many', LEAST)).toThrow()
  })
})

function circle(): object {
  const entry: Record<string, unknown> = {}
  entry['again'] = entry
  return entry
}

/** A list that contains the same list twice, and so on: small in memory, but without end when expanded. */
function doubled(times: number): unknown {
  let value: unknown = [1]
  for (let at = 0; at < times; at++) value = [value, value]
  return value
}
