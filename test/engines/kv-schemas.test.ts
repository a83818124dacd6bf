/** Uses schemas in the forms of several schema libraries. */
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { createDevKernel, type Kernel, type StandardSchema } from '../../src/index.ts'

interface Login {
  readonly port: string
}
interface Parsed {
  readonly port: number
}

/** Transforms the port from a string to a number. */
const validate = (value: unknown) => {
  const port = Number((value as Partial<Login>).port)
  if (Number.isInteger(port)) return { value: { port } }
  return { issues: [{ message: `received ${String((value as Partial<Login>).port)}`, path: ['port'] }] }
}
const schemaOf = (check: StandardSchema<Login, Parsed>['~standard']['validate']): StandardSchema<Login, Parsed> => ({
  '~standard': { version: 1, vendor: 'test', validate: check },
})

/** Schemas of arktype are functions, and issue paths of valibot consist of objects. */
const SCHEMAS: Readonly<Record<string, StandardSchema<Login, Parsed>>> = {
  'a synchronous schema': schemaOf(validate),
  'an asynchronous schema': schemaOf(async (value) => validate(value)),
  'a schema that is a function': Object.assign(() => undefined, schemaOf(validate)),
  'a schema whose paths are objects': schemaOf((value) => {
    const { issues, ...rest } = validate(value)
    return issues ? { issues: issues.map((issue) => ({ ...issue, path: issue.path.map((key) => ({ key })) })) } : (rest as never)
  }),
}

let kernel: Kernel
beforeAll(async () => {
  kernel = await createDevKernel()
  await kernel.mounts.createMount({ path: 'apps', type: 'kv', options: { version: '2' } })
})
afterAll(() => kernel.close())

describe.each(Object.keys(SCHEMAS))('a secret with %s', (what) => {
  const schema = SCHEMAS[what] as StandardSchema<Login, Parsed>
  const secrets = () => [kernel.kv.secret('typed', schema), kernel.kv2.at('apps').secret('typed', schema)] as const

  it('is stored as written, and returned as the schema transforms it', async () => {
    for (const secret of secrets()) {
      await secret.write({ port: '5432' })
      expect((await secret.read()).data).toEqual({ port: 5432 })
    }
    expect((await kernel.kv.readSecret<Login>({ path: 'typed' })).data.port).toBe('5432')
  })

  it('is refused if it does not match the schema, with a message that does not contain its value', async () => {
    for (const secret of secrets()) {
      const refusal = { code: 'ERR_INVALID_REQUEST', message: 'data.port: does not match the schema' }
      await expect(secret.write({ port: 'hunter2' })).rejects.toMatchObject(refusal)
    }
    await kernel.kv.writeSecret({ path: 'typed', data: { port: 'hunter2' } })
    await kernel.kv2.at('apps').writeSecret({ path: 'typed', data: { port: 'hunter2' } })
    for (const secret of secrets()) {
      const refusal = { code: 'ERR_CONFLICT', message: 'data.port: the stored secret does not match the schema' }
      await expect(secret.read()).rejects.toMatchObject(refusal)
    }
  })
})

describe('secrets with schemas', () => {
  it('can be written with a cas option', async () => {
    const secret = kernel.kv2.at('apps').secret('cas', SCHEMAS['a synchronous schema'] as StandardSchema<Login, Parsed>)
    await secret.write({ port: '1' }, { cas: 0 })
    await expect(secret.write({ port: '1' }, { cas: 0 })).rejects.toMatchObject({ code: 'ERR_CONFLICT' })
    expect((await secret.read()).metadata.version).toBe(1)
  })

  it('have the TypeScript types that the schema declares', () => {
    const secret = kernel.kv.secret('types', SCHEMAS['a synchronous schema'] as StandardSchema<Login, Parsed>)
    expectTypeOf(secret.write).parameter(0).toEqualTypeOf<Login>()
    expectTypeOf<Awaited<ReturnType<typeof secret.read>>['data']>().toEqualTypeOf<Parsed>()
  })

  it('require a schema that implements the Standard Schema interface', () => {
    for (const schema of [undefined, {}, { '~standard': {} }, () => true])
      expect(() => kernel.kv.secret('a', schema as never)).toThrow(TypeError)
  })
})
