/** Rules for all parameters of one kind in every operation: durations, maps, enumerated words, and parameters with a second name. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AnyField } from '../../../src/core/field/field.ts'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { EVERY_OPERATION as WITH_FIELDS } from '../../fixtures/every-operation.ts'
import { EVERY_OPERATION, fill, furnish, furnishedPorts, type Listed } from '../../fixtures/good-requests.ts'

interface Parameter {
  readonly listed: Listed
  readonly name: string
  readonly field: AnyField
}

type NamedParameter = readonly [title: string, parameter: Parameter]

const PARAMETERS: readonly NamedParameter[] = EVERY_OPERATION.flatMap((listed, at) =>
  Object.entries(WITH_FIELDS[at]?.fields ?? {}).map(
    ([name, field]) => [`${listed.title}: ${name}`, { listed, name, field }] as const,
  ),
)

const parametersWhere = (matches: (field: AnyField, name: string) => boolean): readonly NamedParameter[] =>
  PARAMETERS.filter(([, { field, name }]) => matches(field, name))

let kernel: Kernel
beforeAll(async () => {
  kernel = await createDevKernel({ ports: furnishedPorts() })
  await furnish((verb, path, body) => send(verb, path, body))
})
afterAll(() => kernel.close())

const send = (method: string, path: string, body: unknown) =>
  kernel.handle({
    method,
    path: `/v1/${path}`,
    headers: { 'X-Service-Token': kernel.rootToken, 'Content-Type': 'application/merge-patch+json' },
    ...(method === 'GET' || method === 'LIST' ? { query: body as Readonly<Record<string, string>> } : { body }),
  })

interface Outcome {
  readonly status: number
  readonly errors: string
}

/** Sends a valid request, with one parameter under the name `sent` instead of its own name. */
async function ask({ listed, field, name }: Parameter, sent: string, value: unknown): Promise<Outcome> {
  const { verb, path, body } = fill(listed)
  const { [todaysName(field, name)]: _, ...others } = body
  const { status, body: answer } = await send(verb, path, { ...others, [sent]: verb === 'GET' ? String(value) : value })
  return { status, errors: String((answer as { errors?: readonly string[] } | undefined)?.errors ?? '') }
}

/** A former name is a field of its own, whose description names the field that replaces it. */
const todaysName = ({ description }: AnyField, name: string): string =>
  /^The former name of `?([a-z_]+)`?/.exec(description)?.[1] ?? name

describe('the maximum duration', () => {
  /** 2^63 nanoseconds in seconds: the longest duration that Vault and OpenBao can store. */
  const MAX_SECONDS = 9_223_372_036
  const TOO_LONG = [MAX_SECONDS + 1, `${MAX_SECONDS + 1}`, `${MAX_SECONDS + 1}s`, '2562048h', '106752d', 2 ** 53 - 1]
  // Each request is sent with two of them, because all parameters parse durations alike.
  const SENT = [MAX_SECONDS + 1, '2562048h']
  const durations = parametersWhere(({ schema }) => schema['format'] === 'seconds')

  it('applies to each of more than 45 parameters', () => {
    expect(durations.length).toBeGreaterThan(45)
  })

  // The body of `sys/wrapping/wrap` is the data, and its duration is a header.
  const sent = durations.filter(([, { listed }]) => !('body' in listed.operation))

  it.each(sent)('applies to %s in a call by path', async (_, parameter) => {
    const { name } = parameter
    for (const value of SENT) {
      const { status, errors } = await ask(parameter, name, value)
      expect([value, status, errors]).toEqual([value, 400, expect.stringMatching(`${name}: .*${MAX_SECONDS} seconds`)])
    }
  })

  // Some operations parse the duration themselves after they have authorized the caller, so their field keeps the sent value.
  const parsed = durations.filter(([, { field }]) => typeof field.decode('1h', 'any') === 'number')

  it.each(parsed)('applies to %s in a typed call', (_, { name, field }) => {
    for (const value of TOO_LONG) expect(() => field.fromTyped(value, name)).toThrow(`${MAX_SECONDS} seconds`)
    expect(field.fromTyped(MAX_SECONDS, name)).toBe(MAX_SECONDS)
  })

  it.each(TOO_LONG)('applies to the wrap TTL header: %s', async (value) => {
    const headers = { 'X-Service-Token': kernel.rootToken, 'X-Service-Wrap-TTL': String(value) }
    const { status, body } = await kernel.handle({ method: 'GET', path: '/v1/sys/mounts', headers })
    expect([status, body]).toEqual([400, { errors: [expect.stringContaining(`${MAX_SECONDS} seconds`)] }])
  })

  it.each(['default_lease_ttl', 'max_lease_ttl'])('applies to the config of a new mount: %s', async (name) => {
    for (const value of TOO_LONG) {
      const { status, body } = await send('POST', 'sys/mounts/long', { type: 'kv', config: { [name]: value } })
      expect([value, status, String((body as { errors: unknown }).errors)]).toEqual([value, 400, expect.stringContaining(name)])
    }
  })
})

describe('map parameters', () => {
  const maps = parametersWhere(({ schema }) => schema['type'] === 'object')

  it('occur in more than ten places in the operations', () => {
    expect(maps.length).toBeGreaterThan(10)
  })

  it.each(maps)('treat an empty array as an empty map, as PHP encodes it: %s', async (_, parameter) => {
    // The first request may create a record that the next ones find.
    await ask(parameter, parameter.name, {})
    const array = await ask(parameter, parameter.name, [])
    expect(array).toEqual(await ask(parameter, parameter.name, {}))
  })
})

describe('enumerated parameters', () => {
  // An enumerated word in the path is checked when the record is looked up.
  const words = parametersWhere(({ schema }) => Array.isArray(schema['enum'])).filter(
    ([, { listed, name }]) => !listed.operation.path.includes(`:${name}`),
  )

  it.each(words)('are refused with a list of all permitted words: %s', async (_, { field, name }) => {
    const choices = (field.schema['enum'] as readonly string[]).map((word) => word || '""').join(', ')
    expect(() => field.decode('no-such-word', name)).toThrow(`${name}: must be one of ${choices}`)
  })
})

describe('parameters with a second name', () => {
  const WRONG: readonly unknown[] = [{ a: 1 }, 'nonsense', -1, 2 ** 53 - 1, [], ['nonsense'], 'a'.repeat(70_000)]

  const pairs = PARAMETERS.flatMap(([title, parameter]) => {
    const { field, name } = parameter
    const today = todaysName(field, name)
    const sent = field.original ?? name
    return today === sent ? [] : ([[`${title}, sent as ${sent}`, { parameter, today, sent }]] as const)
  })

  it('occur in more than twelve places in the operations', () => {
    expect(pairs.length).toBeGreaterThan(12)
  })

  it.each(pairs)('have the sent name in the error message if they are refused: %s', async (_, { parameter, today, sent }) => {
    for (const value of WRONG) {
      const { errors } = await ask(parameter, sent, value)
      expect([value, errors]).toEqual([value, expect.not.stringMatching(new RegExp(`^${today}\\b|'${today}'`))])
    }
  })
})
