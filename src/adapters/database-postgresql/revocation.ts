/**
 * Revokes every privilege that the catalog lists as granted to the role, in this database and server-wide, and the role's memberships. A
 * REVOKE that fails is skipped. The role then still has that privilege, and DROP ROLE fails. The catalog lists only direct grants, so
 * inherited privileges and the privileges of other roles are not changed.
 */
const REVOKE_GRANTS = `DO $strongroom$
DECLARE
  target oid := (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = '{{name}}');
  command text;
BEGIN
  FOR command IN
    SELECT pg_catalog.format('REVOKE ALL ON %s FROM %I', object, '{{name}}') FROM (
      SELECT CASE d.classid
        WHEN 'pg_catalog.pg_class'::regclass THEN (
          SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || pg_catalog.format('%I.%I', n.nspname, c.relname)
          FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = d.objid)
        WHEN 'pg_catalog.pg_proc'::regclass THEN 'ROUTINE ' || d.objid::regprocedure::text
        WHEN 'pg_catalog.pg_type'::regclass THEN 'TYPE ' || d.objid::regtype::text
        WHEN 'pg_catalog.pg_largeobject'::regclass THEN 'LARGE OBJECT ' || d.objid::text
        WHEN 'pg_catalog.pg_namespace'::regclass THEN (
          SELECT pg_catalog.format('SCHEMA %I', nspname) FROM pg_catalog.pg_namespace WHERE oid = d.objid)
        WHEN 'pg_catalog.pg_database'::regclass THEN (
          SELECT pg_catalog.format('DATABASE %I', datname) FROM pg_catalog.pg_database WHERE oid = d.objid)
        WHEN 'pg_catalog.pg_tablespace'::regclass THEN (
          SELECT pg_catalog.format('TABLESPACE %I', spcname) FROM pg_catalog.pg_tablespace WHERE oid = d.objid)
        WHEN 'pg_catalog.pg_language'::regclass THEN (
          SELECT pg_catalog.format('LANGUAGE %I', lanname) FROM pg_catalog.pg_language WHERE oid = d.objid)
        WHEN 'pg_catalog.pg_foreign_data_wrapper'::regclass THEN (
          SELECT pg_catalog.format('FOREIGN DATA WRAPPER %I', fdwname) FROM pg_catalog.pg_foreign_data_wrapper WHERE oid = d.objid)
        WHEN 'pg_catalog.pg_foreign_server'::regclass THEN (
          SELECT pg_catalog.format('FOREIGN SERVER %I', srvname) FROM pg_catalog.pg_foreign_server WHERE oid = d.objid)
        END AS object
      FROM pg_catalog.pg_shdepend d
      WHERE d.refclassid = 'pg_catalog.pg_authid'::regclass AND d.refobjid = target AND d.deptype = 'a'
        AND d.dbid IN (0, (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()))
    ) held WHERE object IS NOT NULL
    UNION ALL
    SELECT pg_catalog.format('ALTER DEFAULT PRIVILEGES FOR ROLE %I %s REVOKE ALL ON %s FROM %I',
      o.rolname, CASE WHEN n.nspname IS NULL THEN '' ELSE pg_catalog.format('IN SCHEMA %I', n.nspname) END,
      CASE a.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' WHEN 'T' THEN 'TYPES' ELSE 'SCHEMAS' END,
      '{{name}}')
    FROM pg_catalog.pg_default_acl a
    JOIN pg_catalog.pg_roles o ON o.oid = a.defaclrole
    LEFT JOIN pg_catalog.pg_namespace n ON n.oid = a.defaclnamespace
    WHERE EXISTS (SELECT FROM pg_catalog.aclexplode(a.defaclacl) e WHERE e.grantee = target)
    UNION ALL
    SELECT pg_catalog.format('REVOKE %I FROM %I', pg_catalog.pg_get_userbyid(m.roleid), '{{name}}')
    FROM pg_catalog.pg_auth_members m WHERE m.member = target
    -- Equal order in concurrent revocations prevents deadlocks.
    ORDER BY 1
  LOOP
    FOR i IN 1..100 LOOP
      BEGIN
        EXECUTE command;
        EXIT;
      EXCEPTION
        -- A concurrent transaction changed the privileges of the same object: try again.
        WHEN internal_error THEN NULL;
        WHEN deadlock_detected THEN RAISE;
        WHEN OTHERS THEN EXIT;
      END;
    END LOOP;
  END LOOP;
END
$strongroom$`

/** Ends the sessions of the role, and waits up to one second until they have ended. */
const END_SESSIONS = `DO $strongroom$
DECLARE
  target oid := (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = '{{name}}');
BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_stat_activity WHERE usesysid = target) THEN
    -- Ending a session requires membership in its role. The membership ends when the role is dropped.
    BEGIN
      IF NOT pg_catalog.pg_has_role(target, 'USAGE') THEN
        EXECUTE pg_catalog.format('GRANT %I TO CURRENT_USER', '{{name}}');
      END IF;
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
    BEGIN
      PERFORM pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity WHERE usesysid = target;
      -- A session may own temporary tables, and the role cannot be dropped until it has ended.
      FOR i IN 1..100 LOOP
        PERFORM pg_catalog.pg_stat_clear_snapshot();
        EXIT WHEN NOT EXISTS (SELECT FROM pg_catalog.pg_stat_activity WHERE usesysid = target);
        PERFORM pg_catalog.pg_sleep(0.01);
      END LOOP;
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
  END IF;
END
$strongroom$`

/** The statements must run in one transaction. */
export const DEFAULT_REVOCATION = [REVOKE_GRANTS, END_SESSIONS, 'DROP ROLE IF EXISTS "{{name}}"']

/**
 * Disables a role that cannot be dropped, such as one that owns a table. `NOLOGIN` comes first, so that no new session begins after the sessions
 * were ended.
 */
export const LOCK = ['ALTER ROLE "{{name}}" NOLOGIN', END_SESSIONS]
export const LOCK_AND_REVOKE = [...LOCK, REVOKE_GRANTS]
