/** A secondary's clients get the same answers as clients of the primary, for every forwardable operation. */
import { beforeAll, expect, it } from 'vitest'
import { EVERY_OPERATION, fill } from '../../fixtures/good-requests.ts'
import { type Cluster, send, World } from './world.ts'

let alone: Cluster
let primary: Cluster
let secondary: Cluster
let token: string

beforeAll(async () => {
  alone = await new World().primary()
  const world = new World()
  primary = await world.primary()
  secondary = await world.secondary(primary, 'berlin')
  token = (await secondary.kernel.tokens.createToken({ policies: ['root'] })).client_token
}, 60_000)

/** Generating the transit wrapping key takes many seconds. */
const WRITES = EVERY_OPERATION.filter(({ operation, title }) => operation.forwardable && title !== 'transit.readWrappingKey')

/** The names of the answer's members, because values are random or times. */
const shapeOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'data' in body && typeof body.data === 'object' && body.data !== null
    ? Object.keys(body.data).sort()
    : (body as { errors?: unknown } | undefined)?.errors

it('a request that a secondary forwards has an answer with the same status and members as one to the primary', async () => {
  for (const listed of WRITES) {
    const { verb, path, body } = fill(listed)
    const expected = await send(alone, verb, path, body)
    const found = await send(secondary, verb, path, body, token)
    expect({ status: found.status, shape: shapeOf(found.body) }, listed.title).toEqual({
      status: expected.status,
      shape: shapeOf(expected.body),
    })
  }
  const metadataOf = async (cluster: Cluster): Promise<unknown> =>
    ((await send(cluster, 'GET', 'kv2/metadata/a')).body as { data: { custom_metadata: unknown } }).data.custom_metadata
  expect(await metadataOf(primary)).toEqual(await metadataOf(alone))
})
