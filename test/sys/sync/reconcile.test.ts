import { expect, it } from 'vitest'
import { openWorld } from './world.ts'

it('sync.reconcile reports missing, changed and foreign secrets, and repairs those it owns unless it is a dry run', async () => {
  const { kernel, write, set, store, repo, settle } = await openWorld()
  for (const path of ['a', 'b', 'c', 'd']) {
    await write(path, { n: path })
    await set(path)
  }
  store.edit('p/c', 'edited')
  await write('keys', { one: '1', two: '2' })
  await set('keys', 'github')
  store.lose('p/a')
  store.intrude('p/b', 'theirs')
  repo.lose('KEYS_ONE')
  const dry = await kernel.sync.reconcile({ dry_run: true })
  const at = { type: 'cloud-a-sm', name: 'aws', mount: 'kv/' }
  expect(dry).toEqual({
    checked: 6,
    drift: [
      { ...at, secret_name: 'a', external_name: 'p/a', found: 'missing' },
      { ...at, secret_name: 'b', external_name: 'p/b', found: 'unmanaged' },
      { ...at, secret_name: 'c', external_name: 'p/c', found: 'changed' },
      {
        type: 'repohost',
        name: 'github',
        mount: 'kv/',
        secret_name: 'keys',
        sub_key: 'one',
        external_name: 'KEYS_ONE',
        found: 'missing',
      },
    ],
  })
  await settle()
  expect(store.values.get('p/b')).toBe('theirs')
  expect((await kernel.sync.reconcile({ type: 'cloud-a-sm', name: 'aws' })).drift.length).toBe(3)
  await settle()
  expect(['p/a', 'p/b', 'p/c'].map((name) => store.values.get(name))).toEqual(['{"n":"a"}', 'theirs', '{"n":"c"}'])
  await kernel.sync.setAssociation({ type: 'cloud-a-sm', name: 'aws', mount: 'kv', secret_name: 'b', adopt: true })
  expect(store.values.get('p/b')).toBe('{"n":"b"}')
  expect(repo.values.has('KEYS_ONE')).toBe(false)
  const { status, body } = await kernel.handle({
    method: 'POST',
    path: '/v1/sys/sync/reconcile',
    headers: { 'X-Service-Token': kernel.rootToken ?? '' },
    body: {},
  })
  expect([status, (body as { data: { drift: readonly unknown[] } }).data.drift.length]).toEqual([200, 1])
  await settle()
  expect(await kernel.sync.reconcile()).toEqual({ checked: 6, drift: [] })
  await kernel.close()
})

it('sync.reconcile checks the secrets in pages, reports the progress, and stops when its signal is aborted', async () => {
  const { kernel, write, set } = await openWorld()
  for (let n = 0; n < 300; n++) {
    await write(`s${n}`, { n })
    await set(`s${n}`)
  }
  const pages: number[] = []
  for await (const { checked } of kernel.sync.reconcilePages({ dry_run: true })) pages.push(checked)
  expect(pages).toEqual([240, 60])
  const stop = new AbortController()
  const done: number[] = []
  const onProgress = (progress: { readonly done: number }): void => {
    done.push(progress.done)
    stop.abort(new Error('enough'))
  }
  const work = kernel.sync.reconcile({ dry_run: true }, { signal: stop.signal, onProgress })
  await expect(work).rejects.toThrow('enough')
  expect(done).toEqual([240])
  await kernel.close()
})
