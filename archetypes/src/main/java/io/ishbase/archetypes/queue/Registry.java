package io.ishbase.archetypes.queue;

import io.ishbase.archetypes.queue.GroupOptions.Mode;
import io.ishbase.archetypes.queue.QueueException.Code;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A queue's groups and lanes: one cell, so that each change is one conditional write and no reader
 * sees half of one. It changes when a producer opens or closes, a group is made, or messages are
 * trimmed; never with a message.
 *
 * @param shards over how many the lanes are spread
 * @param maxBodyBytes of a message
 * @param nextLane the number of the next lane
 * @param stamp of the last change, by which its author knows it again
 * @param groups by name
 * @param lanes those that are not trimmed to their end, by number
 */
record Registry(
    int shards,
    int maxBodyBytes,
    long nextLane,
    long stamp,
    SortedMap<String, GroupOptions> groups,
    SortedMap<Long, Lane> lanes) {
  private static final int VERSION = 1;

  Registry {
    groups = Collections.unmodifiableSortedMap(new TreeMap<>(groups));
    lanes = Collections.unmodifiableSortedMap(new TreeMap<>(lanes));
  }

  static Registry empty(int shards, int maxBodyBytes) {
    return new Registry(shards, maxBodyBytes, 0, 0, new TreeMap<>(), new TreeMap<>());
  }

  Registry withStamp(long newStamp) {
    return new Registry(shards, maxBodyBytes, nextLane, newStamp, groups, lanes);
  }

  Registry withNewLane(long nowMillis) {
    return new Registry(
        shards,
        maxBodyBytes,
        nextLane + 1,
        stamp,
        groups,
        with(lanes, nextLane, Lane.opened(nextLane, nowMillis)));
  }

  Registry with(Lane lane) {
    return new Registry(
        shards, maxBodyBytes, nextLane, stamp, groups, with(lanes, lane.id(), lane));
  }

  Registry without(Lane lane) {
    return new Registry(
        shards, maxBodyBytes, nextLane, stamp, groups, with(lanes, lane.id(), null));
  }

  Registry with(String group, GroupOptions options) {
    return new Registry(shards, maxBodyBytes, nextLane, stamp, with(groups, group, options), lanes);
  }

  private static <K, V> SortedMap<K, V> with(SortedMap<K, V> map, K key, @Nullable V value) {
    TreeMap<K, V> changed = new TreeMap<>(map);
    if (value == null) {
      changed.remove(key);
    } else {
      changed.put(key, value);
    }
    return changed;
  }

  GroupOptions group(String name) throws QueueException {
    GroupOptions options = groups.get(name);
    if (options == null) {
      throw new QueueException(
          Code.NO_SUCH_GROUP, "'" + name + "': the groups are " + groups.keySet());
    }
    return options;
  }

  GroupOptions group(String name, Mode mode) throws QueueException {
    GroupOptions options = group(name);
    if (options.mode() != mode) {
      throw new QueueException(
          Code.WRONG_MODE, "group '" + name + "' is " + options.mode() + ", not " + mode);
    }
    return options;
  }

  Lane lane(long id) throws QueueException {
    Lane lane = lanes.get(id);
    if (lane == null) {
      throw new QueueException(Code.NO_SUCH_LANE, id + ": the lanes are " + lanes.keySet());
    }
    return lane;
  }

  byte[] encode() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(VERSION);
    out.writeInt(shards);
    out.writeInt(maxBodyBytes);
    out.writeLong(nextLane);
    out.writeLong(stamp);
    out.writeInt(groups.size());
    for (var group : groups.entrySet()) {
      out.writeUTF(group.getKey());
      out.writeByte(group.getValue().mode().ordinal());
      out.writeLong(group.getValue().visibilityMillis());
      out.writeInt(group.getValue().maxAttempts());
    }
    out.writeInt(lanes.size());
    for (Lane lane : lanes.values()) {
      out.writeLong(lane.id());
      out.writeLong(lane.openedMillis());
      out.writeLong(lane.floor());
      out.writeLong(lane.floorMillis());
      out.writeLong(lane.deleted());
      out.writeLong(lane.end());
    }
    return bytes.toByteArray();
  }

  static Registry decode(byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    int version = in.readByte();
    if (version != VERSION) {
      throw new QueueException(Code.DAMAGED, "a registry of version " + version);
    }
    int shards = in.readInt();
    int maxBodyBytes = in.readInt();
    long nextLane = in.readLong();
    long stamp = in.readLong();
    TreeMap<String, GroupOptions> groups = new TreeMap<>();
    for (int i = in.readInt(); i > 0; i--) {
      groups.put(
          in.readUTF(),
          new GroupOptions(Mode.values()[in.readByte()], in.readLong(), in.readInt()));
    }
    TreeMap<Long, Lane> lanes = new TreeMap<>();
    for (int i = in.readInt(); i > 0; i--) {
      Lane lane =
          new Lane(
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readLong());
      lanes.put(lane.id(), lane);
    }
    return new Registry(shards, maxBodyBytes, nextLane, stamp, groups, lanes);
  }
}
