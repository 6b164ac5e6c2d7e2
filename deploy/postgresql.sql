-- Role and database for Querent, on PostgreSQL 13 or later. Run it once, as a superuser, and type the password when it asks:
--   psql --file deploy/postgresql.sql postgres
-- Then QUERENT_STORAGE is postgres://querent:PASSWORD@HOST/querent. `querent init` makes the tables. See docs/deploy.md, Several nodes.
\set ON_ERROR_STOP on
\if :{?password}
\else
  \prompt 'Password of the new role querent: ' password
\endif

create role querent login password :'password';
create database querent owner querent encoding 'UTF8' template template0;

-- No other role may connect.
revoke all on database querent from public;

\connect querent
alter schema public owner to querent;
revoke create on schema public from public;
