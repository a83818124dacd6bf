/**
 * Writes an entry to a service and reads it back, by path and by a typed call.
 */
import { expect } from 'vitest'
import type { ConfigEntryInput } from '../../../src/configsvc/entries/operations/fields.ts'
import { answered, configWorld } from '../../fixtures/configsvc.ts'

type Json = Readonly<Record<string, unknown>>

const http = (Name: string): Json => ({ Kind: 'service-defaults', Name, Protocol: 'http' })

/** For each kind, the entries that must exist so that an entry with all members is not refused for its references. */
const COMPANIONS: Readonly<Record<string, readonly Json[]>> = {
  'ingress-gateway': [{ ...http('web'), Protocol: 'http2' }],
  'proxy-defaults': [{ Kind: 'mesh', AllowEnablingPermissiveMutualTLS: true }],
  'service-intentions': [http('api'), { Kind: 'jwt-provider', Name: 'idp', JSONWebKeySet: { Local: { Filename: 'keys.json' } } }],
  'service-resolver': [{ Kind: 'service-resolver', Name: 'b', Subsets: { x: {} } }],
  'service-router': [http('web'), http('other'), { Kind: 'service-resolver', Name: 'other', Subsets: { v2: {} } }],
  'service-splitter': [
    http('web'),
    http('other'),
    { Kind: 'service-resolver', Name: 'web', Subsets: { v2: {} } },
    { Kind: 'service-resolver', Name: 'other', Subsets: { v1: {} } },
  ],
}

/** Kinds that are shown with a Status from a controller. */
const WITH_STATUS = ['api-gateway', 'http-route', 'tcp-route']

/** @param entry In its stored form. */
export async function comesBack(entry: Json): Promise<void> {
  await using world = await configWorld()
  const { ask, service } = world
  const { Kind, Name, Namespace = 'default' } = entry as { Kind: ConfigEntryInput['Kind']; Name: string; Namespace?: string }
  const query = `?ns=${Namespace}`
  const path = `config/${Kind}/${Name}${query}`
  const put = (body: unknown) => answered(ask('PUT', `config${query}`, body))
  for (const companion of COMPANIONS[Kind] ?? []) expect(await put(companion)).toBe(true)
  expect(await put(entry)).toBe(true)
  const { CreateIndex, ModifyIndex, ...read } = await answered(ask('GET', path))
  const status = WITH_STATUS.includes(Kind) ? { Status: {} } : {}
  expect(read).toEqual({ ...entry, ...status })
  expect(CreateIndex).toBe(ModifyIndex)
  const whole = { ...entry, ...status, CreateIndex, ModifyIndex }
  const { entries } = service
  const placed = { Kind, ns: Namespace }
  expect(await entries.get({ ...placed, Name: Name.toUpperCase() })).toEqual(whole)
  expect(await entries.list(placed)).toContainEqual(whole)
  expect(await answered(ask('GET', `config/${Kind}${query}`))).toContainEqual(whole)
  // Writing back the entry that was read changes nothing.
  expect(await entries.apply(await entries.get({ ...placed, Name }), { ns: Namespace })).toBe(true)
  expect(await entries.get({ ...placed, Name })).toEqual(whole)
  expect(await answered(ask('DELETE', path))).toEqual({})
  expect(await ask('GET', path)).toMatchObject({ status: 404 })
}
