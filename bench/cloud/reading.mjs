/**
 * Reading a static credential that is cached, beside reading a secret.
 */
import { fakeCloudProvider } from 'strongroom/testing'
import { oneByOne } from '../in-flight.mjs'
import { measure } from '../measure.mjs'
import { microseconds, ratio, table, target } from '../report.mjs'
import { openKernel } from './world.mjs'

const ROOT = { access_key: 'AKIAIOSFODNN7EXAMPLE', secret_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }

export async function reading() {
  const kernel = await openKernel(fakeCloudProvider({ root: ROOT, users: { owner: 0 } }), ROOT)
  const { kv, cloud } = kernel
  await cloud.writeStaticRole({ name: 's', username: 'owner', rotation_period: 3600 })
  await kv.writeSecret({ path: 's', data: await cloud.staticCreds({ name: 's' }) })
  const headers = { 'X-Service-Token': kernel.rootToken }
  const request = (path) => async () => {
    const { status } = await kernel.handle({ method: 'GET', path, headers })
    if (status !== 200) throw new Error(`${path}: ${status}`)
  }
  const typed = await measure({
    secret: oneByOne(() => kv.readSecret({ path: 's' })),
    'static-creds': oneByOne(() => cloud.staticCreds({ name: 's' })),
  })
  const path = await measure({
    secret: oneByOne(request('/v1/secret/s')),
    'static-creds': oneByOne(request('/v1/cloud/static-creds/s')),
  })
  await kernel.close()
  const views = { typed, path }
  const rows = typed.names.map((name) => [name, ...Object.values(views).map((view) => microseconds(view.time(name).median))])
  const targets = Object.entries(views).map(([view, rounds]) =>
    target(
      `static-creds of a cloud, cached (${view}): time of it : of reading a secret`,
      rounds.speed('secret', 'static-creds'),
      { atMost: 1.3 },
      ratio,
    ),
  )
  return { targets, text: table(['reading', 'typed', 'path'], rows) }
}
