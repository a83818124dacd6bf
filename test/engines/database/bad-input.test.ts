/**
 * Sends bad values in every field of every operation of the database engine, as typed calls and calls by path. Each request is refused
 * without a stored change or a call to the plugin.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { typedOutcome } from '../../fixtures/every-operation.ts'
import { CASES, GOOD, OPERATIONS, openDatabase, waysTo } from './bad-inputs.ts'

describe('bad input to the database engine', () => {
  let opened: Awaited<ReturnType<typeof openDatabase>>
  beforeAll(async () => {
    opened = await openDatabase()
  })
  afterAll(() => opened?.kernel.close())
  // A record that was stored by mistake must fail only its own test.
  afterEach(async () => {
    for (const drop of ['deleteConnection', 'deleteRole', 'deleteStaticRole'] as const)
      await opened.kernel.database[drop]({ name: 'new' })
  })

  it('is tested in this file for every operation with a name', () => {
    expect(new Set(CASES.map(([, method]) => method)).size).toBe(
      OPERATIONS.filter(({ fields }) => Object.hasOwn(fields, 'name')).length,
    )
  })

  it.each(CASES.map(([what, method, members]) => [method, what, members] as const))(
    'makes %s fail with 400 or 404: %s',
    async (method, _, members) => {
      const { plugin, kernel } = opened
      const calls = { ...plugin.calls }
      for (const way of waysTo(kernel, method, members)) {
        const result = await way()
        // Deleting a name that cannot exist succeeds.
        if (method.startsWith('delete') && result.status < 300) continue
        expect(result, result.said.slice(0, 200)).toMatchObject({
          status: 'name' in members ? expect.toBeOneOf([400, 404]) : 400,
        })
      }
      expect(plugin.calls).toEqual(calls)
      for (const list of ['roles', 'static-roles', 'config']) {
        const { body } = await kernel.handle({
          method: 'LIST',
          path: `/v1/database/${list}`,
          headers: { 'X-Service-Token': kernel.rootToken },
        })
        expect((body as { data?: { keys: string[] } }).data?.keys ?? []).toEqual(list === 'config' ? ['db'] : [])
      }
    },
  )

  it('that contains a very long name is refused with a short message', async () => {
    const long = 'x'.repeat(1 << 20)
    const { database: typed } = opened.kernel
    await typed.writeRole({ name: 'new', db_name: long.slice(0, 50_000), creation_statements: ['CREATE'] })
    const calls = [
      () => typed.writeConnection({ ...(GOOD['writeConnection'] as { name: string }), plugin_name: long }),
      () => typed.writeStaticRole({ name: 'other', db_name: long, username: 'owner', rotation_period: 3600 }),
      () => typed.creds({ name: 'new' }),
    ]
    for (const call of calls) {
      const { status, said } = await typedOutcome(call)
      expect(status).toBe(400)
      expect(said.length).toBeLessThan(1000)
    }
  })
})
