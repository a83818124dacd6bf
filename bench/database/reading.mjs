/**
 * Reading a static credential that is cached, beside reading a secret.
 */
import { fakeDatabasePlugin } from 'strongroom/testing'
import { oneByOne } from '../in-flight.mjs'
import { measure } from '../measure.mjs'
import { microseconds, ratio, table, target } from '../report.mjs'
import { openKernel } from './world.mjs'

export async function reading() {
  const plugin = fakeDatabasePlugin()
  plugin.addUser('owner', 'first')
  const kernel = await openKernel(plugin, { connection_url: 'fake:', username: 'root', password: 'root-password' })
  const { kv, database } = kernel
  await database.writeStaticRole({ name: 's', db_name: 'db', username: 'owner', rotation_period: 3600 })
  await kv.writeSecret({ path: 's', data: { username: 'owner', password: 'a-Password-0f-20-chr' } })
  const headers = { 'X-Service-Token': kernel.rootToken }
  const request = (path) => async () => {
    const { status } = await kernel.handle({ method: 'GET', path, headers })
    if (status !== 200) throw new Error(`${path}: ${status}`)
  }
  const typed = await measure({
    secret: oneByOne(() => kv.readSecret({ path: 's' })),
    'static-creds': oneByOne(() => database.staticCreds({ name: 's' })),
  })
  const path = await measure({
    secret: oneByOne(request('/v1/secret/s')),
    'static-creds': oneByOne(request('/v1/database/static-creds/s')),
  })
  await kernel.close()
  const views = { typed, path }
  const rows = typed.names.map((name) => [name, ...Object.values(views).map((view) => microseconds(view.time(name).median))])
  const targets = Object.entries(views).map(([view, rounds]) =>
    target(
      `static-creds, cached (${view}): time of it : of reading a secret`,
      rounds.speed('secret', 'static-creds'),
      { atMost: 1.3 },
      ratio,
    ),
  )
  return { targets, text: table(['reading', 'typed', 'path'], rows) }
}
