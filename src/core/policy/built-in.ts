/** The built-in policies, which exist in every namespace. */

/**
 * The policy `default`. A token has this policy unless its creator excludes the policy. It gives a token access to its own data, such as
 * its lease and cubbyhole. As in Vault, the policy can be edited but not deleted.
 */
export const DEFAULT_POLICY_TEXT = `# Look up, renew and revoke the token.
path "auth/token/lookup-self" {
  capabilities = ["read"]
}
path "auth/token/renew-self" {
  capabilities = ["update"]
}
path "auth/token/revoke-self" {
  capabilities = ["update"]
}

# Look up the permissions of the token.
path "sys/capabilities-self" {
  capabilities = ["update"]
}
path "sys/internal/ui/resultant-acl" {
  capabilities = ["read"]
}

# Read the entity of the token.
path "identity/entity/id/{{identity.entity.id}}" {
  capabilities = ["read"]
}
path "identity/entity/name/{{identity.entity.name}}" {
  capabilities = ["read"]
}

# Renew and look up leases whose id is known.
path "sys/leases/renew" {
  capabilities = ["update"]
}
path "sys/renew" {
  capabilities = ["update"]
}
path "sys/leases/lookup" {
  capabilities = ["update"]
}

# The cubbyhole, which is deleted with the token.
path "cubbyhole/*" {
  capabilities = ["create", "read", "update", "delete", "list"]
}

# Wrap values, and look up and unwrap wrapping tokens.
path "sys/wrapping/wrap" {
  capabilities = ["update"]
}
path "sys/wrapping/lookup" {
  capabilities = ["update"]
}
path "sys/wrapping/unwrap" {
  capabilities = ["update"]
}
`

/** The policy of wrapping tokens. It allows fetching the wrapped answer and cannot be changed. */
export const RESPONSE_WRAPPING_POLICY_TEXT = `path "cubbyhole/response" {
  capabilities = ["create", "read"]
}
path "sys/wrapping/unwrap" {
  capabilities = ["update"]
}
`
