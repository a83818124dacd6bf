/**
 * Reading a static credential that is cached, beside reading a secret.
 */
import { oneByOne } from './in-flight.mjs'
import { measure } from './measure.mjs'
import { microseconds, ratio, table, target } from './report.mjs'

/**
 * @param kernel With the secret `secret/s`.
 * @param facade `database` or `cloud`, whose mount is named so, with the static role `s`.
 */
export async function reading(kernel, facade, what) {
  const headers = { 'X-Service-Token': kernel.rootToken }
  const request = (path) => async () => {
    const { status } = await kernel.handle({ method: 'GET', path, headers })
    if (status !== 200) throw new Error(`${path}: ${status}`)
  }
  const typed = await measure({
    secret: oneByOne(() => kernel.kv.readSecret({ path: 's' })),
    'static-creds': oneByOne(() => kernel[facade].staticCreds({ name: 's' })),
  })
  const path = await measure({
    secret: oneByOne(request('/v1/secret/s')),
    'static-creds': oneByOne(request(`/v1/${facade}/static-creds/s`)),
  })
  const views = { typed, path }
  const rows = typed.names.map((name) => [name, ...Object.values(views).map((view) => microseconds(view.time(name).median))])
  const targets = Object.entries(views).map(([view, rounds]) =>
    target(`${what} (${view}): time of it : of reading a secret`, rounds.speed('secret', 'static-creds'), { atMost: 1.3 }, ratio),
  )
  return { targets, text: table(['reading', 'typed', 'path'], rows) }
}
