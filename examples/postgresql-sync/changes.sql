-- Records the id of each product that is inserted, changed or deleted, in the transaction that changes it.
-- `truncate` fires no row trigger: run `node sync.ts --full` after it.
create table product_changes (
  number bigint generated always as identity primary key,
  product_id bigint not null
);

-- Runs with the rights of its owner, so that programs that write products need no right on product_changes.
create function record_product_change() returns trigger
  language plpgsql security definer set search_path from current as $$
begin
  insert into product_changes (product_id)
    select distinct id from (values (old.id), (new.id)) as changed (id) where id is not null;
  return null;
end
$$;

create trigger record_product_change after insert or update or delete on products
  for each row execute function record_product_change();
