/**
 * Gets credentials of a cloud, and shows when they stop working. Exits with code 0, or with code 1 and the reason.
 */
import assert from 'node:assert/strict'
import { fakeClock, fakeCloudProvider } from 'strongroom/testing'
import { manageUser, openApp } from './app.mjs'

const HOUR_MS = 3_600_000
const REPORTS = 'shop-reports'
const ROOT = { access_key: 'AKIAIOSFODNN7EXAMPLE', secret_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }

// The example advances it instead of waiting.
const clock = fakeClock()
// IAM and STS in memory, with the rules of AWS.
const aws = fakeCloudProvider({ root: ROOT, users: { [REPORTS]: 1 }, now: () => clock.now() })
const kernel = await openApp(aws, ROOT, clock)

const isGood = ({ access_key, secret_key, security_token }) => aws.works(access_key, secret_key, security_token ?? undefined)

try {
  await aSessionThatEnds()
  await aUserOfOnesOwn()
  await aUserThatIsNeverLeftOver()
  await aKeyThatIsReplacedEachDay()
  await theRootKey()
} finally {
  await kernel.close()
}

async function aSessionThatEnds() {
  const session = await kernel.cloud.creds({ name: 'deploy', role_session_name: 'release 42' })
  assert.ok(isGood(session))
  console.log(`deploy got a session for ${session.lease_duration} seconds: ${session.arn}`)
  await clock.advance(HOUR_MS / 4)
  assert.ok(!isGood(session))
  console.log('15 minutes later the session has expired')
}

async function aUserOfOnesOwn() {
  const before = aws.users.size
  const user = await kernel.cloud.creds({ name: 'uploader' })
  assert.ok(isGood(user))
  console.log(`uploader got the access key ${user.access_key} of a new user for ${user.lease_duration} seconds`)
  await clock.advance(0.9 * HOUR_MS)
  await kernel.leases.renewLease({ lease_id: user.lease_id })
  await clock.advance(0.9 * HOUR_MS)
  await kernel.tick()
  assert.ok(isGood(user))
  await clock.advance(0.2 * HOUR_MS)
  await kernel.tick()
  assert.ok(!isGood(user))
  assert.equal(aws.users.size, before)
  console.log('the lease was renewed once, and the user was removed when it ended')
}

async function aUserThatIsNeverLeftOver() {
  const before = aws.users.size
  aws.trouble({ call: 'putUserPolicy', manner: 'refuses', code: 'MalformedPolicyDocument' })
  const refusal = await kernel.cloud.creds({ name: 'uploader' }).then(
    () => assert.fail('was not refused'),
    (error) => error,
  )
  assert.equal(refusal.status, 502)
  assert.equal(aws.users.size, before)
  console.log(`no user remains after AWS refused a creation halfway: "${refusal.message}"`)
}

async function aKeyThatIsReplacedEachDay() {
  await manageUser(kernel, REPORTS)
  const first = await kernel.cloud.staticCreds({ name: 'reports' })
  assert.ok(isGood(first))
  await clock.advance(24 * HOUR_MS)
  await kernel.tick()
  const second = await kernel.cloud.staticCreds({ name: 'reports' })
  assert.notEqual(second.access_key, first.access_key)
  assert.ok(isGood(second) && isGood(first))
  await clock.advance(24 * HOUR_MS)
  await kernel.tick()
  assert.ok(!isGood(first))
  console.log(
    `${REPORTS} gets another key every day; the former key works for one more day, so programs that use it continue to work`,
  )
}

async function theRootKey() {
  const { access_key } = await kernel.cloud.rotateRoot()
  assert.ok(!isGood(ROOT))
  assert.ok(isGood(await kernel.cloud.creds({ name: 'deploy' })))
  console.log(`the root key is now ${access_key}, and only the kernel has its secret key`)
}
