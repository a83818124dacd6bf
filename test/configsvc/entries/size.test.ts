/**
 * The maximum size of a config entry: 512 KiB as JSON without spaces.
 */
import { describe, expect, it } from 'vitest'
import { configWorld } from '../../fixtures/configsvc.ts'
import { times } from './large-entries.ts'

const MAX_BYTES = 524_288

/** An entry whose JSON has this many bytes. */
function entryOf(bytes: number, config: object = {}) {
  const entry = (text: string) => ({ Kind: 'proxy-defaults', Name: 'global', Config: { ...config, text } })
  return entry('x'.repeat(bytes - JSON.stringify(entry('')).length))
}

const LARGEST = [
  ['of one long string', {}],
  ['of many numbers', { list: times(9000, (at) => at) }],
  ['of many small objects', { list: times(9000, (at) => ({ at, deep: [[true, null, -1]] })) }],
  ['of a map with very many names', Object.fromEntries(times(9000, (at) => [`name-${at}`, at]))],
] as const

describe('an entry', () => {
  it.each(LARGEST)('%s is stored if it has 512 KiB, and refused if it has one byte more', async (_, config) => {
    await using world = await configWorld()
    expect(await world.ask('PUT', 'config', entryOf(MAX_BYTES, config))).toMatchObject({ status: 200 })
    expect(await world.ask('PUT', 'config', entryOf(MAX_BYTES + 1, config))).toMatchObject({
      status: 413,
      body: 'body: an entry must have at most 524288 bytes as JSON',
    })
  })

  it('may have spaces in addition', async () => {
    await using world = await configWorld()
    const text = new TextEncoder().encode(JSON.stringify(entryOf(MAX_BYTES), undefined, 100_000))
    expect(await world.ask('PUT', 'config', text)).toMatchObject({ status: 200 })
  })

  it('that is too large is refused before its members are read', async () => {
    await using world = await configWorld()
    const body = { Kind: 'mesh', Unknown: 'x'.repeat(MAX_BYTES) }
    expect(await world.ask('PUT', 'config', body)).toMatchObject({ status: 413 })
  })

  it('with more members than a plain object can hold is refused with the same message', async () => {
    await using world = await configWorld()
    const text = JSON.stringify(Object.fromEntries([['Kind', 'mesh'], ...times(60_000, (at) => [`member-${at}`, at])]))
    expect(await world.ask('PUT', 'config', new TextEncoder().encode(text))).toMatchObject({
      status: 413,
      body: 'body: an entry must have at most 524288 bytes as JSON',
    })
  })
})

it('a list may be larger than 512 KiB, but none of its entries', async () => {
  await using world = await configWorld()
  const named = (at: number, bytes: number) => ({
    Kind: 'terminating-gateway',
    Name: `t${at}`,
    Services: [{ Name: 'a', SNI: 'x'.repeat(bytes) }],
  })
  const list = times(4, (at) => named(at, 500_000))
  expect(await world.ask('PUT', 'config', list)).toMatchObject({ status: 200 })
  expect(await world.ask('PUT', 'config', [named(0, 1), named(1, MAX_BYTES)])).toMatchObject({
    status: 413,
    body: 'body: entry 1 must have at most 524288 bytes as JSON',
  })
})

it('a typed call with a larger entry is refused with ERR_REQUEST_TOO_LARGE and the limit', async () => {
  await using world = await configWorld()
  await expect(world.service.entries.apply(entryOf(MAX_BYTES + 1) as never)).rejects.toMatchObject({
    code: 'ERR_REQUEST_TOO_LARGE',
    details: { limit: MAX_BYTES },
  })
})
