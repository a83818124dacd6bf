/**
 * The application's kernel: which database there is, and which users of it there may be.
 */
import { createDevKernel } from 'strongroom'

/** @param clock Of the kernel: `run.mjs` moves it. */
export async function openApp({ databases, connection }, clock) {
  const kernel = await createDevKernel({ clock, ports: { databases } })
  await kernel.database.writeConnection({ name: 'shop', ...connection, allowed_roles: ['web', 'reports'] })

  // Each process of the shop gets a user of its own, for an hour at a time.
  await kernel.database.writeRole({
    name: 'web',
    db_name: 'shop',
    creation_statements: [`CREATE ROLE "{{name}}" LOGIN PASSWORD '{{password}}' VALID UNTIL '{{expiration}}'`],
    default_ttl: '1h',
    max_ttl: '24h',
  })
  return kernel
}

/** A user that is there already, and that only the kernel shall know the password of: another one each day. */
export const takeIntoCare = (kernel, username) =>
  kernel.database.writeStaticRole({ name: 'reports', db_name: 'shop', username, rotation_period: '24h' })
