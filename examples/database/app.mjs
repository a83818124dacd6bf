/**
 * The application's kernel: the connection to the database, and the roles for which it creates users.
 */
import { createDevKernel } from 'strongroom'

/** @param clock The kernel's clock, which `run.mjs` sets. */
export async function openApp({ databases, connection }, clock) {
  const kernel = await createDevKernel({ clock, ports: { databases } })
  await kernel.database.writeConnection({ name: 'shop', ...connection, allowed_roles: ['web', 'reports'] })

  // Each process of the shop gets a user of its own. Its lease lasts an hour and can be renewed.
  await kernel.database.writeRole({
    name: 'web',
    db_name: 'shop',
    creation_statements: [`CREATE ROLE "{{name}}" LOGIN PASSWORD '{{password}}' VALID UNTIL '{{expiration}}'`],
    default_ttl: '1h',
    max_ttl: '24h',
  })
  return kernel
}

/** Manages the password of an existing user. The kernel changes the password every day, and no other program knows it. */
export const manageUser = (kernel, username) =>
  kernel.database.writeStaticRole({ name: 'reports', db_name: 'shop', username, rotation_period: '24h' })
