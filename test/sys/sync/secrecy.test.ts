import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { internalsOf } from '../../../src/core/kernel/kernel-internals.ts'
import { fakeSyncDestination } from '../../../src/testing/index.ts'
import { openWorld } from './world.ts'

const SECRETS = /VALUE-of-|CREDENTIAL-/

/** The decrypted records of secret sync. */
async function recordsOf(kernel: Awaited<ReturnType<typeof openWorld>>['kernel']): Promise<readonly string[]> {
  const { store } = internalsOf(kernel).host
  const found = await Promise.all(
    [
      'r/core/sync-association/',
      'r/core/sync-secret/',
      'r/core/sync-name/',
      'r/core/sync-outbox/',
      'r/due/sync/',
      'l/core/intent/',
    ].map((prefix) => store.scan(prefix, () => true)),
  )
  return found.flat().map(({ key, value }) => `${key} ${new TextDecoder().decode(value)}`)
}

it('stored sync records, events, audit entries, errors and answers contain no secret value and no destination credential', async () => {
  const entries: string[] = []
  const store = fakeSyncDestination()
  const ports = {
    sync: {
      'cloud-a-sm': store,
      'cloud-b-kv': fakeSyncDestination({ type: 'cloud-b-kv' }),
      repohost: fakeSyncDestination({ type: 'repohost' }),
    },
  }
  const sinks = { log: ({ line }: { readonly line: string }) => void entries.push(line) }
  const { kernel, write, set, settle, remove } = await openWorld({ ports: { ...ports, audit: { sinks } } })
  const outputs: unknown[] = []
  kernel.events.on('*', (event) => void outputs.push(event))
  await write('a', { password: 'VALUE-of-a' })
  outputs.push(await set('a', 'github'), await set('a'), await recordsOf(kernel))
  await write('a', { password: 'VALUE-of-another', more: 'VALUE-of-more' })
  // The error message of the store repeats the request.
  store.trouble({ manner: new Error('refused VALUE-of-another for CREDENTIAL-aws') })
  outputs.push(await recordsOf(kernel), await settle(), await recordsOf(kernel))
  outputs.push(await kernel.sync.readDestination({ type: 'cloud-a-sm', name: 'aws' }))
  outputs.push(
    await kernel.sync.writeCloudASm({ name: 'aws', secret_access_key: 'FAIL-CREDENTIAL-x' }).catch((error: unknown) => error),
  )
  store.trouble({ manner: new Error('CREDENTIAL-aws') })
  outputs.push(await kernel.sync.reconcile({ type: 'cloud-a-sm' }).catch((error: unknown) => error))
  outputs.push(await remove('a'), await kernel.tick(), await kernel.sync.listAssociations(), entries)
  expect(inspect(outputs, { depth: 12, maxStringLength: null, maxArrayLength: null, showHidden: true })).not.toMatch(SECRETS)
  expect(entries.length).toBeGreaterThan(10)
  await kernel.close()
})
