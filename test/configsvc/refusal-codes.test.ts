/** The codes of refusals by the configuration service: missing records, and names in use. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  EVERY_CONFIG_OPERATION,
  type KnownOperation,
  NO_ID,
  type OperationWorld,
  operationWorld,
} from '../fixtures/configsvc-operations.ts'

let world: OperationWorld
beforeAll(async () => {
  world = await operationWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const ABSENT = { ID: NO_ID, AccessorID: NO_ID, Name: 'nothing', Kind: 'service-defaults', TemplateName: 'builtin/nothing' }

function typedCall(known: KnownOperation): (() => Promise<unknown>) | undefined {
  const [facade = '', method = ''] = known.title.split('.')
  const owner = (facade === 'service' ? world.service : Reflect.get(world.service, facade)) as
    | Readonly<Record<string, (args: object) => Promise<unknown>>>
    | undefined
  const captured = [...known.operation.path.matchAll(/[:+](\w+)/g)].map(([, name]) => name as string)
  const named = Object.fromEntries(Object.entries(ABSENT).filter(([name]) => captured.includes(name)))
  if (captured.length === 0 || !owner || !(method in owner)) return undefined
  return async () =>
    owner[method]?.({ ...(known.title.startsWith('templated') ? {} : (world.body(known) as object | undefined)), ...named })
}

/** These operations succeed whether or not the record exists. */
const WITHOUT_EFFECT = /delete|list/

describe('an operation with a name or ID that does not exist', () => {
  for (const known of EVERY_CONFIG_OPERATION)
    it(`is refused with ERR_NOT_FOUND or has no effect: ${known.title}`, async () => {
      const call = typedCall(known)
      if (!call) return
      const { status } = await world.send(known, world.body(known), 'nothing')
      const refusal = await call().then(
        () => undefined,
        (error: unknown) => error,
      )
      if (refusal === undefined) expect(known.title).toMatch(WITHOUT_EFFECT)
      else expect(refusal).toMatchObject({ name: 'KernelError', code: 'ERR_NOT_FOUND', status })
    })
})

describe('creating a record with a name or ID that exists', () => {
  it('is refused with ERR_ALREADY_EXISTS', async () => {
    const alreadyExists = { code: 'ERR_ALREADY_EXISTS', status: 400 }
    await expect(world.service.policies.create({ Name: 'policy-1', Rules: '' })).rejects.toMatchObject(alreadyExists)
    await expect(world.service.roles.create({ Name: 'role-1' })).rejects.toMatchObject(alreadyExists)
    const { AccessorID } = await world.service.tokens.create({})
    await expect(world.service.tokens.create({ AccessorID })).rejects.toMatchObject(alreadyExists)
  })
})
