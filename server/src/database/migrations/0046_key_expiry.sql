-- From this time on calls with the key are refused; null for a key that is valid until it is revoked.
alter table keys add column expires bigint;
-- The latest day of use, in days since 1970 (UTC), and the address of the client on it; null where a token of the key called.
alter table keys add column last_used_day integer;
alter table keys add column last_address text;
