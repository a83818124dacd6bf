/** Tests with py-consul, a maintained Consul client for Python, against the ACL system of a server. */
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { P256, spkiPem, token } from '../unit/core/jwt/tokens.ts'

const run = promisify(execFile)
const PYTHON = process.env['PYTHON'] ?? 'python3'

const PROGRAM = `
import json, sys
import consul
port, secret, pem, bearer = sys.argv[1:]
client = consul.Consul(host="127.0.0.1", port=int(port), token=secret)
acl = client.acl
out = {}
policy = acl.policy.create(name="py", description="d", rules={"key_prefix": {"": {"policy": "read"}}})
out["policy"] = acl.policy.read(policy["ID"])["Name"]
acl.policy.update(policy["ID"], name="py", description="new")
out["policies"] = sorted(p["Name"] for p in acl.policy.list())
role = acl.role.create("r", policies_name=["py"])
out["role"] = acl.role.read_by_name("R")["Policies"][0]["Name"]
out["roles"] = len(acl.role.list(policy=policy["ID"]))
made = acl.token.create(description="t", policies_name=["py"])
out["self"] = acl.token.read_self(token=made["SecretID"])["Description"]
clone = acl.token.clone(made["AccessorID"], description="c")
out["tokens"] = len(acl.token.list(policy=policy["ID"]))
out["deleted"] = acl.token.delete(clone["AccessorID"])
acl.auth_method.create("jwt", "jwt", config={"JWTValidationPubKeys": [pem], "JWTSupportedAlgs": ["ES256"], "ClaimMappings": {"name": "name"}})
rule = acl.binding_rule.create("jwt", "service", "web")
out["rules"] = len(acl.binding_rule.list(auth_method="jwt"))
login = acl.login("jwt", bearer)
out["login"] = login["ServiceIdentities"]
out["logout"] = acl.logout(login["SecretID"])
out["gone"] = [acl.binding_rule.delete(rule["ID"]), acl.auth_method.delete("jwt"), acl.role.delete(role["ID"]), acl.policy.delete(policy["ID"])]
try:
    consul.Consul(host="127.0.0.1", port=int(port)).acl.role.list()
except consul.ACLPermissionDenied as refusal:
    out["denied"] = str(refusal)[:40]
print(json.dumps(out))
`

const { status } = spawnSync(PYTHON, ['-c', 'import consul; consul.Consul().acl.binding_rule'], { stdio: 'ignore' })

/** Why the client is not available here. */
export const pyConsulMissing: string | undefined = status === 0 ? undefined : 'no Python with the package py-consul'

/** @param secret The SecretID of a token with all permissions. */
export async function expectPyConsulWorks(address: string, secret: string): Promise<void> {
  const bearer = token('ES256', { iat: Math.floor(Date.now() / 1000), name: 'web' })
  const { port } = new URL(address)
  const { stdout } = await run(PYTHON, ['-c', PROGRAM, port, secret, spkiPem(P256), bearer])
  expect(JSON.parse(stdout)).toEqual({
    policy: 'py',
    policies: ['builtin/global-read-only', 'global-management', 'py'],
    role: 'py',
    roles: 1,
    self: 't',
    tokens: 2,
    deleted: true,
    rules: 1,
    login: [{ ServiceName: 'web' }],
    logout: true,
    gone: [true, true, true, true],
    denied: expect.stringContaining('Permission denied'),
  })
}
