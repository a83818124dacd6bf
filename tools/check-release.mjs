// Prevents a publication while package.json or CODEOWNERS lacks entries that only the owner of the project knows. `prepublishOnly` and `.ci/release`
// run this script.
// Usage: node tools/check-release.mjs [path of a package.json [path of a CODEOWNERS]]
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Host names that RFC 2606 and RFC 6761 reserve. No real address has such a host. */
const RESERVED_HOST = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|invalid|localhost|test)$/i
/** `user/repository`, optionally after the name of the host, as npm accepts it. */
const REPOSITORY_SHORTHAND = /^(?:(?:github|gitlab|bitbucket):)?[\w.-]+\/[\w.-]+$/
/** `git@host:user/repository.git`, which is not a URL. */
const SSH_REPOSITORY = /^[\w.-]+@[\w.-]+:[\w./-]+$/

const isText = (value) => typeof value === 'string' && value.trim() !== ''

function isAddress(value, protocols) {
  if (!isText(value) || !URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocols.includes(protocol) && hostname !== '' && !RESERVED_HOST.test(hostname)
}
const isWebAddress = (value) => isAddress(value, ['https:', 'http:'])
const isMailAddress = (value) =>
  isText(value) && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) && !RESERVED_HOST.test(value.split('@')[1])
const isRepository = (value) =>
  (isText(value) && (REPOSITORY_SHORTHAND.test(value) || SSH_REPOSITORY.test(value))) ||
  isAddress(value, ['https:', 'http:', 'git+https:', 'git+ssh:', 'ssh:', 'git:'])

const FIELDS = [
  [
    'repository',
    ({ repository }) => isRepository(repository?.url ?? repository),
    'the address of the source repository, where vulnerabilities are also reported',
  ],
  ['homepage', ({ homepage }) => isWebAddress(homepage), 'the address of a page about the project'],
  [
    'bugs',
    ({ bugs }) => isWebAddress(bugs) || isWebAddress(bugs?.url) || isMailAddress(bugs?.email),
    'the address for bug reports',
  ],
  ['author', ({ author }) => isText(author) || isText(author?.name), 'the name of the author'],
]

/**
 * @param {Record<string, unknown>} manifest a parsed package.json
 * @returns {string[]} one message per missing or unusable field
 */
export const releaseProblems = (manifest) =>
  FIELDS.flatMap(([field, isFilled, meaning]) => (isFilled(manifest) ? [] : [`package.json: ${field}: must be ${meaning}`]))

/** A pattern and at least one account, team or mail address. */
const OWNER_LINE = /^\s*[^#\s]\S*\s+(?:@[\w.-]+(?:\/[\w.-]+)?|[^\s@]+@[^\s@]+)/m

/**
 * @param {string} text the content of CODEOWNERS
 * @returns {string[]} a message if no line names an owner
 */
export const ownerProblems = (text) =>
  OWNER_LINE.test(text) ? [] : ['.github/CODEOWNERS: must have a line with a pattern and its owners, such as `* @user`']

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const inRepository = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))
  const [manifest = inRepository('package.json'), owners = inRepository('.github/CODEOWNERS')] = process.argv.slice(2)
  const problems = [
    ...releaseProblems(JSON.parse(readFileSync(manifest, 'utf8'))),
    ...ownerProblems(existsSync(owners) ? readFileSync(owners, 'utf8') : ''),
  ]
  for (const problem of problems) console.error(problem)
  console.log(
    problems.length === 0 ? 'check-release: ready' : `check-release: ${problems.length} entries missing, nothing was published`,
  )
  process.exitCode = problems.length === 0 ? 0 : 1
}
