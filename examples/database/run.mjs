/**
 * Gets users of a database, and shows what they can do and when they stop working. Exits with code 0, or with code 1 and the reason.
 */
import assert from 'node:assert/strict'
import { fakeClock } from 'strongroom/testing'
import { manageUser, openApp } from './app.mjs'
import { openServer } from './server.mjs'

const HOUR_MS = 3_600_000
const REPORTS = 'strongroom_example_reports'

// It starts at the present time, like the database's clock. The example advances it instead of waiting.
const clock = fakeClock(Date.now())
const server = await openServer(process.env.DATABASE_URL, clock)
console.log(`the database is ${server.title}`)
const kernel = await openApp(server, clock)

const failures = []
kernel.events.on('static_role.rotation_failed', ({ reason }) => failures.push(reason))

try {
  await aUserOfOnesOwn()
  await aUserThatEndsByItself()
  await aPasswordThatNobodyKnows()
  await aUserThatIsAlwaysGood()
} finally {
  await kernel.leases.revokePrefix({ prefix: 'database/creds/web' })
  await kernel.close()
  await server.close()
}

async function aUserOfOnesOwn() {
  const { username, password, lease_id, lease_duration } = await kernel.database.creds({ name: 'web' })
  const session = await server.logIn(username, password)
  assert.equal(await session.ask(), username)
  console.log(`web got the user ${username} for ${lease_duration} seconds, and logged in`)

  await kernel.leases.revokeLease({ lease_id })
  const thrownOut = await messageOf(session.ask())
  await session.close()
  console.log(
    `its lease was revoked: its open session fails with "${thrownOut}", and a new login with "${await refusalOf(username, password)}"`,
  )
}

async function aUserThatEndsByItself() {
  const { username, password, lease_id } = await kernel.database.creds({ name: 'web' })
  await clock.advance(0.9 * HOUR_MS)
  await kernel.leases.renewLease({ lease_id })
  await clock.advance(0.9 * HOUR_MS)
  await kernel.tick()
  await (await server.logIn(username, password)).close()
  await clock.advance(0.2 * HOUR_MS)
  await kernel.tick()
  await refusalOf(username, password)
  console.log(`the lease of ${username} was renewed once, and the user was dropped when the lease ended`)
}

async function aPasswordThatNobodyKnows() {
  await server.addUser(REPORTS, 'chosen by hand')
  await manageUser(kernel, REPORTS)
  await refusalOf(REPORTS, 'chosen by hand')
  const first = await kernel.database.staticCreds({ name: 'reports' })
  await (await server.logIn(REPORTS, first.password)).close()
  console.log(
    `the kernel manages the password of ${REPORTS}: the password that people knew no longer works, and the next rotation is in ${first.ttl} seconds`,
  )

  await clock.advance(24 * HOUR_MS)
  await kernel.tick()
  const second = await kernel.database.staticCreds({ name: 'reports' })
  await refusalOf(REPORTS, first.password)
  await (await server.logIn(REPORTS, second.password)).close()
  assert.deepEqual(failures, [])
  console.log('a day later it has another password')

  await kernel.database.deleteStaticRole({ name: 'reports' })
  await server.dropUser(REPORTS)
}

/** A credential source returns valid credentials at any time, as a pool of connections needs them. */
async function aUserThatIsAlwaysGood() {
  const source = kernel.database.credentialSource({ role: 'web' })
  const users = new Map()
  for (let minutes = 0; minutes < 2 * 24 * 60; minutes += 10) {
    const { username, password } = await source.current()
    if (minutes % 60 === 0) await (await server.logIn(username, password)).close()
    users.set(username, password)
    await clock.advance(HOUR_MS / 6)
    await kernel.tick()
  }
  await source.close()
  for (const [username, password] of users) await refusalOf(username, password)
  console.log(`a credential source returned valid credentials for two days, of ${users.size} users one after the other`)
}

function refusalOf(username, password) {
  return messageOf(server.logIn(username, password))
}

async function messageOf(work) {
  const error = await work.then(
    () => assert.fail('was not refused'),
    (thrown) => thrown,
  )
  return error.message
}
